import Diagnosis
import Inspection
import Messages
import RecordLog
import Settings
import Sinks
import StreamRuntime

extension Environment {
    /// The permissions that verbs of this application need, by the names of its topics.
    ///
    /// - Parameters:
    ///   - verbs: those that are looked at; `nil` stands for all.
    ///   - isAhead: true if also that counts which is needed once the absent topics are there.
    func neededPermissions(
        of verbs: Set<String>? = nil, isAhead: Bool = false, isAbsent: @escaping (NamedTopic) -> Bool
    ) -> NeededPermissions {
        NeededPermissions(
            application: settings[Keys.application], sendingSinks: sendingSinks, of: verbs, isAhead: isAhead,
            name: { name(of: $0) }, isAbsent: isAbsent)
    }

    /// The lines that grant what this program lacks at its own brokers: by the verb where one needs it.
    var grants: Grants {
        let needs = neededPermissions(isAhead: true) { _ in true }.all
        return Grants(
            at: settings[Keys.bootstrap], byVerb: Set(needs.map(\.permission)), options: settings.placeInShell)
    }

    /// Those that the settings name, as their transactional ids call them.
    private var sendingSinks: [String] {
        settings[Keys.sinks].all.compactMap { sink in
            guard case .sent(let address) = sink.target else { return nil }
            return DeliveryTarget.timelines(address).name
        }
    }

    func name(of topic: NamedTopic) -> String {
        let own = InternalTopics(settings)
        return switch topic {
        case .telemetry: topics.telemetry
        case .calendarEvents: topics.calendarEvents
        case .configurations: topics.configurations
        case .positions: topics.positions
        case .timelines: topics.timelines
        case .reloads: topics.reloads
        case .positionsMerged: topics.positionsMerged
        case .deadLetters: topics.deadLetters
        case .exchange: own.exchange
        case .state: own.state
        case .reset: own.reset
        case .pushes: OnDemandTopics.pushes(settings)
        case .sinks: SinkStatusReport.topic(settings)
        case .operations: OperationMarks.topic(of: settings[Keys.application])
        case .transactionState: CoordinatedTransactions.topic
        }
    }
}

extension Settings {
    /// The options that lead a verb to the same brokers and the same application, as words of a shell.
    var placeInShell: String {
        var words = "--bootstrap \(self[Keys.bootstrap].shellWord) --application \(self[Keys.application].shellWord)"
        let prefix = self[Keys.topicPrefix]
        if !prefix.isEmpty { words += " --topic-prefix \(prefix.shellWord)" }
        return words
    }
}
