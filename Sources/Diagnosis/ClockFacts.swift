package import Times

/// The clock of a broker against this machine's.
package enum ClockFacts: Hashable, Sendable {
    /// A broker stamped a record with `broker` between two instants of this machine.
    case probed(sent: Instant, broker: Instant, answered: Instant)
    case unknown(String)
    /// It was not looked at: `command` does so, by a record in a topic.
    case unasked(command: String, topic: String)

    /// Records are dated by three clocks, and timers compare them: what differs by less does not matter.
    private static let tolerance = ElapsedTime.seconds(1)

    package var finding: Finding {
        switch self {
        case .unknown(let reason): return Finding(.clock, "broker", .notice, "cannot be told: \(reason)")
        case .unasked(let command, let topic):
            return Finding(
                .clock, "broker", .notice, "is not compared with this machine's, for brokers do not tell their time",
                remedy: "\(command) compares it: it makes the topic \(topic) for a moment, writes a record there, and"
                    + " removes it, which needs Create, Write, Read and Delete on that topic.")
        case .probed(let sent, let broker, let answered):
            // The record was stamped at some moment between the two.
            let ahead = broker - answered
            let behind = sent - broker
            if ahead <= Self.tolerance && behind <= Self.tolerance {
                return Finding(.clock, "broker", .good, "goes with this machine's, to within a second")
            }
            let text = ahead > .zero ? "is \(ahead.text) ahead of" : "is \(behind.text) behind"
            return Finding(
                .clock, "broker", .bad, "\(text) this machine's",
                remedy: "Let both follow a time server: arrival times of records are taken for now, and timers fire by"
                    + " this machine's clock.")
        }
    }
}
