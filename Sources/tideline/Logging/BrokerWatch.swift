import Foundation
import Observability
import RecordLog
import Synchronization

/// Logs one line when a broker cannot be reached, and one when it can be reached again.
///
/// A process has several handles of librdkafka, and each of them logs every failed attempt. Such a line only makes its
/// broker a suspect. The watch asks a suspect by a connection of its own. If the suspect answers, only one connection
/// had failed, and nothing is logged. If it does not answer for a second, it is logged as lost, and asked until it
/// answers. A broker that has left the cluster, or a bootstrap host while others answer, is logged once and then
/// forgotten: the cluster goes on without it. Lines about a lost broker go to the log at `debug` meanwhile and are
/// counted. Any thread.
final class BrokerWatch: Sendable {
    /// The connections of the watch to clock, brokers and threads.
    struct Ports: Sendable {
        var now: @Sendable () -> Duration
        /// Asks the broker at this address about its cluster; `nil` means that it does not answer. May take a second.
        var ask: @Sendable (_ address: String) -> ClusterView?
        /// Runs `watch` on a thread of its own, which the ports wait on between rounds.
        var start: @Sendable (_ watch: @escaping @Sendable () -> Void) -> Void
        var pause: @Sendable () -> Void
    }

    /// A cluster, as one of its brokers sees it.
    struct ClusterView: Equatable, Sendable {
        /// The brokers as `host:port`, as librdkafka names them.
        var brokers: Set<String>
        /// True if every partition of the program's topics has a leader.
        var hasAllLeaders = true
    }

    struct Suspect {
        var since: Duration
        var reason: String
        var isLost = false
        var isRefusalTold = false
        /// The number of lines about it that went to `debug`.
        var withheld = 0
    }

    /// A host that does not answer and that the cluster does not need.
    struct Absent {
        /// When its absence was found out last, on the clock of `Ports.now`.
        var foundAt: Duration
        var withheld = 0
    }

    struct State {
        var suspects: [String: Suspect] = [:]
        var absent: [String: Absent] = [:]
        /// All brokers that were ever part of the cluster, as `host:port`.
        var brokers: Set<String> = []
        var isWatching = false
        /// The lines of librdkafka that were written, which others repeat.
        var lines = RepeatedLines()
        /// The number of lines that name no broker since that number was logged last.
        var withheld = 0
        /// The brokers that are back, and the time until which handles may still log what is over.
        var echoes: [String: Duration] = [:]

        var isAnyLost: Bool { suspects.values.contains(where: \.isLost) }
    }

    let logger: Logger
    let bootstrap: [String]
    let ports: Ports
    let state = Mutex(State())
    static let grace = Duration.seconds(1)
    static let echo = Duration.seconds(20)
    /// The time for which failures of an absent host are taken as known.
    static let absentInterval = Duration.seconds(60)
    /// The facilities of lines that handles log while a broker is lost, without naming it.
    private static let echoes: Set<String> = ["SESSTMOUT", "REQTMOUT"]

    /// - Parameter bootstrap: the hosts that are suspected if an error names no broker: `host:port`, separated by
    ///   commas.
    init(_ logger: Logger, bootstrap: String, ports: Ports) {
        self.logger = logger
        self.bootstrap = bootstrap.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        self.ports = ports
    }

    /// The time at which the cluster, or a broker that belongs to it, went out of reach, on the clock of `Ports.now`;
    /// `nil` means that all can be reached.
    var awaySince: Duration? {
        state.withLock { $0.suspects.values.filter(\.isLost).map(\.since).min() }
    }

    // MARK: - What is told

    /// True if nobody needs a line, as the watch says what matters about it.
    func isNoNews(_ level: Int, _ facility: String, _ message: String) -> Bool {
        if Self.isRoutine(facility, message) || isAboutReach(facility, message) { return true }
        return level <= 4 && isEcho(facility, message)
    }

    /// True if an error says only what the watch has logged or will log. Then nobody else needs to log it.
    func absorbs(_ error: LogError) -> Bool {
        switch error.code {
        case .unreachable: suspect(error.message)
        case .timedOut where isEcho("REQTMOUT", error.message): break
        default: return false
        }
        logger.debug("\(error.message)", metadata: ["error": .string(error.name)])
        return true
    }

    /// True if a line is of no use to an operator: it names a property that a kind of handle ignores, or says that a
    /// producer's identity is asked for again, as happens while a fresh broker loads its coordinators.
    private static func isRoutine(_ facility: String, _ message: String) -> Bool {
        facility == "CONFWARN" || facility == "GETPID" && message.hasSuffix(": retrying")
    }

    private func isAboutReach(_ facility: String, _ message: String) -> Bool {
        switch facility {
        case "FAIL": suspect(message)
        // What answers there may be no broker at all: then every request for metadata fails.
        case "METADATA" where BrokerFault(message) != nil: suspect(message)
        // librdkafka logs errors as well if no callback takes them.
        case "ERROR" where BrokerFault(message) != nil || message.hasSuffix("brokers are down"): suspect(message)
        default: return false
        }
        return true
    }

    /// True if a line only repeats that a broker is away, or was until just now; the line is counted.
    private func isEcho(_ facility: String, _ message: String) -> Bool {
        let fault = BrokerFault(message)
        if fault?.isRefusal == true { return false }
        let now = ports.now()
        return state.withLock { state in
            state.echoes = state.echoes.filter { now < $0.value }
            guard let address = fault?.address else {
                guard Self.echoes.contains(facility), state.isAnyLost || !state.echoes.isEmpty else { return false }
                state.withheld += 1
                return true
            }
            if state.suspects[address]?.isLost == true {
                state.suspects[address]?.withheld += 1
            } else if state.echoes[address] != nil {
                state.withheld += 1
            } else {
                return false
            }
            return true
        }
    }

    private func suspect(_ message: String) {
        let fault = BrokerFault(message)
        let now = ports.now()
        let (begins, refusal) = state.withLock { state in
            let addresses = fault.map { [$0.address] } ?? (state.suspects.isEmpty ? bootstrap : [])
            if addresses.isEmpty { state.withheld += 1 }
            var refusal: BrokerFault?
            for address in addresses {
                let reason = fault?.reason ?? "it does not answer"
                if let absent = state.absent[address], now - absent.foundAt < Self.absentInterval {
                    state.absent[address]?.withheld += 1
                    continue
                }
                var suspect = state.suspects[address] ?? Suspect(since: now, reason: reason)
                // The reason why it does not come back says more than the one why it went.
                if !reason.hasPrefix("Disconnected") { suspect.reason = reason }
                suspect.withheld += 1
                if suspect.isLost, !suspect.isRefusalTold, let fault, fault.isRefusal {
                    suspect.isRefusalTold = true
                    refusal = fault
                }
                state.suspects[address] = suspect
            }
            defer { state.isWatching = !state.suspects.isEmpty }
            return (!state.isWatching && !state.suspects.isEmpty, refusal)
        }
        if let refusal { logLost(refusal.address, refusal.reason) }
        if begins {
            ports.start { [self] in
                while round() { ports.pause() }
            }
        }
    }

    func logLost(_ address: String, _ reason: String) {
        logger.warning(
            "cannot reach broker: \(reason); trying until it answers", metadata: ["broker": .string(address)])
    }
}

/// The content of a line of librdkafka about the connection to one broker.
struct BrokerFault: Equatable {
    /// The broker as `host:port`.
    var address: String
    var reason: String

    init(address: String, reason: String) {
        self.address = address
        self.reason = reason
    }

    /// Reads lines like `[thrd:…]: 127.0.0.1:9092/1: Connect to ipv4#127.0.0.1:9092 failed: Connection refused (after
    /// 0ms in state CONNECT)`; `nil` if no broker is named before the reason.
    init?(_ message: String) {
        let pattern = /(?:^|[\s\/])((?:[A-Za-z0-9_.\-]+|\[[0-9A-Fa-f:]+\]):[0-9]{1,5})(?:\/[A-Za-z0-9]+)?: (.+)$/
        guard let match = message.firstMatch(of: pattern) else { return nil }
        address = String(match.1)
        reason = String(match.2)
        if let end = reason.range(of: " (after ") { reason = String(reason[..<end.lowerBound]) }
    }

    /// True if the broker answers but refuses us, which does not pass by itself. When a connection ends, as it does at
    /// a broker that is starting, librdkafka only supposes that authentication may be missing.
    var isRefusal: Bool {
        !reason.hasPrefix("Disconnected") && reason.contains(/(?i)authenticat|authoriz|certificate/)
    }
}
