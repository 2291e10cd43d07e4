import RecordLog

/// The failures of the attempts to reach a first broker, for the message in the end: what was tried, and what was
/// answered last.
struct ConnectionAttempts: CustomStringConvertible {
    private var count = 0
    private var last: LogError?
    /// What went wrong beneath, such as that a connection was refused: each sort once, as it was told last.
    private var failures: [Failure] = []

    private struct Failure {
        var kind: String
        var text: String
    }

    private static let failuresMax = 8

    /// Counts an attempt that failed.
    mutating func note(_ failure: LogError) {
        count += 1
        // The last attempt has little time left: another answer says more than that it was too short.
        if let last, last.code != .timedOut, failure.code == .timedOut { return }
        last = failure
    }

    /// Keeps what went wrong on a connection, without the time that it took and how often it was told, and without
    /// librdkafka's word that all brokers are down, which says nothing more.
    mutating func note(beneath failure: LogError) {
        let message = failure.message
        let text = String(message.prefix(upTo: message.firstRange(of: " (after ")?.lowerBound ?? message.endIndex))
        guard !text.contains("brokers are down") else { return }
        // Numbers differ from one time to the next, as the size that nonsense makes an answer have.
        let kind = text.split(separator: " ").filter { Int($0) == nil }.joined(separator: " ")
        failures.removeAll { $0.kind == kind }
        failures = failures.suffix(Self.failuresMax - 1) + [Failure(kind: kind, text: text)]
    }

    /// Sentences without a full stop at the end: what was refused, in the order of the last time, and the last answer.
    var description: String {
        var sentences = failures.isEmpty ? [] : [failures.map(\.text).joined(separator: "; ")]
        let times = count == 1 ? "once" : "\(count) times"
        if let last {
            sentences.append("Asked \(times); the last answer was: \(last)")
        }
        if let hint { sentences.append(hint) }
        return sentences.joined(separator: ". ")
    }

    /// The likely cause.
    private var hint: String? {
        if failures.contains(where: { $0.text.contains("Invalid response size") }) {
            return "What answers there speaks no Kafka: another program, or TLS without kafka.security.protocol"
        }
        guard let last else { return nil }
        switch last.code {
        case .unsupported: return "What answers there speaks Kafka but is no broker: the port of a controller?"
        case .timedOut where failures.isEmpty, .unreachable where failures.isEmpty:
            return "Either nothing is at that address, or what is there takes connections and says nothing"
        default: return nil
        }
    }
}
