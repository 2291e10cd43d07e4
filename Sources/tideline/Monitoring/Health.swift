import Messages
import RecordLog

/// The questions that supervisors ask.
enum HealthCheck: String, CaseIterable, Sendable {
    /// The loop turns. Where it does not, only a new start helps.
    case live
    /// It does its work, and keeps up with it.
    case ready
    /// It has begun: topics are there, and what it starts with is read.
    case startup

    /// The word for yes.
    var status: String {
        switch self {
        case .live: "live"
        case .ready: "ready"
        case .startup: "started"
        }
    }
}

/// Why a check says no.
struct HealthProblem: Hashable, Sendable {
    /// The part that is unwell, such as `commits`. Scripts read it.
    var part: String
    /// A sentence for people, with what to look at.
    var reason: String

    init(_ part: String, _ reason: String) {
        self.part = part
        self.reason = reason
    }
}

/// The state of what runs in the process. Any thread asks; nothing here waits.
protocol HealthSource: Sendable {
    /// - Parameter now: the time on the monotonic clock.
    /// - Returns: all that is wrong, the most important first; nothing where it is well.
    func problems(_ check: HealthCheck, now: Duration) -> [HealthProblem]

    /// - Returns: what somebody should look at although the process is well, such as records that it set aside.
    func notices(now: Duration) -> [HealthProblem]
}

extension HealthSource {
    func notices(now: Duration) -> [HealthProblem] { [] }
}

/// Before anything runs.
struct StartingHealth: HealthSource {
    /// What is waited for, in words.
    let waitsFor: String

    func problems(_ check: HealthCheck, now: Duration) -> [HealthProblem] {
        check == .live ? [] : [HealthProblem("startup", "starting: waiting for \(waitsFor)")]
    }
}

/// When the process was told to end.
struct EndingHealth: HealthSource {
    func problems(_ check: HealthCheck, now: Duration) -> [HealthProblem] {
        check == .ready ? [HealthProblem("ending", "the process was told to end")] : []
    }
}

/// The brokers that cannot be reached, as the watch over them sees it.
struct BrokerHealth: Sendable {
    private let brokers: BrokerWatch?
    /// An outage is told after this time: a broker that restarts is no reason to send work elsewhere.
    private static let patience = Duration.seconds(10)

    init(_ brokers: BrokerWatch?) {
        self.brokers = brokers
    }

    func problems(now: Duration) -> [HealthProblem] {
        guard let since = brokers?.awaySince, now - since >= Self.patience else { return [] }
        return [HealthProblem("brokers", "a broker has been out of reach for \((now - since).shortText)")]
    }
}

extension [HealthProblem] {
    /// The answer in JSON: the status in a word, the version of the zone data, why it is not well, and what somebody
    /// should look at nevertheless.
    func json(_ check: HealthCheck, zoneData: String, notices: [HealthProblem] = []) -> String {
        JSONWriter.object { json in
            json.string("status", isEmpty ? check.status : "unhealthy")
            json.string("zoneData", zoneData)
            write(to: &json, named: "problems")
            notices.write(to: &json, named: "notices")
        }
    }

    private func write(to json: inout JSONWriter, named name: StaticString) {
        if isEmpty { return }
        json.key(name)
        json.beginArray()
        for problem in self {
            json.beginObject()
            json.string("part", problem.part)
            json.string("reason", problem.reason)
            json.endObject()
        }
        json.endArray()
    }
}
