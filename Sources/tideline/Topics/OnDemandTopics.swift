import Diagnosis
import Inspection
import RecordLog
import Settings

/// The topics of an application that sinks and `dead-letters` make when they first need them: `ID.pushes`, `ID.sinks`
/// and `ID.operations`. All are compacted.
struct OnDemandTopics {
    let names: [String]

    init(_ settings: Settings) {
        let application = settings[Keys.application]
        names = [Self.pushes(settings), SinkStatusReport.topic(settings), OperationMarks.topic(of: application)]
    }

    /// The ledger of sinks that send.
    static func pushes(_ settings: Settings) -> String { settings[Keys.application] + ".pushes" }

    /// The topics as they must be, and as they were found.
    ///
    /// - Parameter found: by name; a topic that is not in it was not needed yet.
    func facts(_ found: [String: TopicFacts.Found]) -> [TopicFacts] {
        names.map { name in
            TopicFacts(
                name: name, role: .onDemand, wanted: [NewTopic.Setting("cleanup.policy", "compact")],
                found: found[name] ?? .nothing)
        }
    }
}
