import Foundation
import Observability
import RecordLog
import Synchronization

/// Says in one line that a broker cannot be reached, and in one that it can be again.
///
/// librdkafka's handles, of which a process has several, each tell every failed attempt. Here any such word only makes
/// its broker suspect. A suspect is asked by a connection of its own: if it answers, nothing was wrong but one
/// connection, and nothing is said; one that does not answer for a second is told, then asked until it does. A broker
/// that has left the cluster, or a bootstrap host where others answer, is told once and then forgotten: the cluster
/// does without it. Lines about a lost broker go to the log at `debug` meanwhile and are counted. Any thread.
final class BrokerWatch: Sendable {
    /// What the watch needs from outside.
    struct Ports: Sendable {
        var now: @Sendable () -> Duration
        /// What the broker at this address says of its cluster; nil: it does not answer. May take a second.
        var ask: @Sendable (_ address: String) -> ClusterView?
        /// Runs `watch` on a thread of its own, which the ports wait on between rounds.
        var start: @Sendable (_ watch: @escaping @Sendable () -> Void) -> Void
        var pause: @Sendable () -> Void
    }

    /// A cluster, as one of its brokers sees it.
    struct ClusterView: Equatable, Sendable {
        /// `host:port`, as librdkafka names them.
        var brokers: Set<String>
        /// Every partition of the program's topics has a leader.
        var hasAllLeaders = true
    }

    struct Suspect {
        var since: Duration
        var reason: String
        var isLost = false
        var isRefusalTold = false
        /// Lines about it that went to `debug`.
        var withheld = 0
    }

    /// A host that does not answer, and that the cluster does without.
    struct Absent {
        /// When its absence was found out last, on the clock of `Ports.now`.
        var foundAt: Duration
        var withheld = 0
    }

    struct State {
        var suspects: [String: Suspect] = [:]
        var absent: [String: Absent] = [:]
        /// All that have ever been seen in the cluster.
        var brokers: Set<String> = []
        var isWatching = false
        /// Lines that name no broker, since such a number was told last.
        var withheld = 0
        /// Brokers that are back, and until when handles may still tell of what is over.
        var echoes: [String: Duration] = [:]

        var isAnyLost: Bool { suspects.values.contains(where: \.isLost) }
    }

    let logger: Logger
    let bootstrap: [String]
    let ports: Ports
    let state = Mutex(State())
    static let grace = Duration.seconds(1)
    static let echo = Duration.seconds(20)
    /// How long an absent host's failures are taken for what is known.
    static let absentInterval = Duration.seconds(60)
    /// What handles say for want of any broker that is lost, without naming it.
    private static let echoes: Set<String> = ["SESSTMOUT", "REQTMOUT"]

    /// - Parameter bootstrap: Suspected where an error names no broker: `host:port`, separated by commas.
    init(_ logger: Logger, bootstrap: String, ports: Ports) {
        self.logger = logger
        self.bootstrap = bootstrap.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        self.ports = ports
    }

    /// Since when the cluster, or a broker that belongs to it, has been known to be out of reach, on the clock of
    /// `Ports.now`; nil: it can be reached.
    var awaySince: Duration? {
        state.withLock { $0.suspects.values.filter(\.isLost).map(\.since).min() }
    }

    // MARK: - What is told

    /// Takes a line of librdkafka's log.
    ///
    /// - Parameter level: syslog's.
    func log(level: Int, facility: String, message: String) {
        let metadata: Logger.Metadata = ["facility": .string(facility)]
        if Self.isRoutine(facility, message) || isAboutReach(facility, message)
            || level <= 4 && isEcho(facility, message)
        {
            return logger.debug("librdkafka: \(message)", metadata: metadata)
        }
        // syslog levels: 0 … 3 are errors, 4 warnings, 5 and 6 information, 7 debugging.
        switch level {
        case ...3: logger.warning("librdkafka: \(message)", metadata: metadata)
        case 4: logger.notice("librdkafka: \(message)", metadata: metadata)
        case 5, 6: logger.debug("librdkafka: \(message)", metadata: metadata)
        default: logger.trace("librdkafka: \(message)", metadata: metadata)
        }
    }

    /// Whether an error is what the watch says already, or will say. Then nobody else needs to.
    func absorbs(_ error: LogError) -> Bool {
        switch error.code {
        case .unreachable: suspect(error.message)
        case .timedOut where isEcho("REQTMOUT", error.message): break
        default: return false
        }
        logger.debug("\(error.message)", metadata: ["error": .string(error.name)])
        return true
    }

    /// Nothing for an operator: which of our properties which kind of handle ignores; and that a producer's identity
    /// is asked for again, as it is while a fresh broker loads its coordinators.
    private static func isRoutine(_ facility: String, _ message: String) -> Bool {
        facility == "CONFWARN" || facility == "GETPID" && message.hasSuffix(": retrying")
    }

    private func isAboutReach(_ facility: String, _ message: String) -> Bool {
        switch facility {
        case "FAIL": suspect(message)
        // Where nobody takes errors, librdkafka logs them besides.
        case "ERROR" where BrokerFault(message) != nil || message.hasSuffix("brokers are down"): suspect(message)
        default: return false
        }
        return true
    }

    /// Whether a line only says again that a broker is away, or was until just now; counts it.
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
                // That it went is less than why it does not come back.
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

/// What a line of librdkafka's says about the connection to one broker.
struct BrokerFault: Equatable {
    /// `host:port`.
    var address: String
    var reason: String

    init(address: String, reason: String) {
        self.address = address
        self.reason = reason
    }

    /// Takes lines like `[thrd:…]: 127.0.0.1:9092/1: Connect to ipv4#127.0.0.1:9092 failed: Connection refused
    /// (after 0ms in state CONNECT)`; nil where no broker is named before the reason.
    init?(_ message: String) {
        let pattern = /(?:^|[\s\/])((?:[A-Za-z0-9_.\-]+|\[[0-9A-Fa-f:]+\]):[0-9]{1,5})(?:\/[A-Za-z0-9]+)?: (.+)$/
        guard let match = message.firstMatch(of: pattern) else { return nil }
        address = String(match.1)
        reason = String(match.2)
        if let end = reason.range(of: " (after ") { reason = String(reason[..<end.lowerBound]) }
    }

    /// The broker answers, but does not let us in: this does not pass by itself. When a connection ends, as it does at
    /// a broker that is starting, librdkafka only supposes that authentication may be missing.
    var isRefusal: Bool {
        !reason.hasPrefix("Disconnected") && reason.contains(/(?i)authenticat|authoriz|certificate/)
    }
}
