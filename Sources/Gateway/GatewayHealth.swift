import Synchronization

/// The state of the server that supervisors ask for. Any thread uses it.
package final class GatewayHealth: Sendable {
    private let stopping = Atomic<Bool>(false)
    /// When the views' thread saw the brokers away first, on the gateway's clock; `nil` while they answer.
    private let awaySince = Mutex<Duration?>(nil)

    /// An outage is told after this time: a broker that restarts is no reason to move clients elsewhere.
    private static let patience = Duration.seconds(10)

    package init() {}

    /// True from the moment when the process was told to end.
    package var isStopping: Bool { stopping.load(ordering: .relaxed) }

    package func stop() { stopping.store(true, ordering: .relaxed) }

    func brokersAreAway(now: Duration) {
        awaySince.withLock { $0 = $0 ?? now }
    }

    func brokersAnswer() {
        awaySince.withLock { $0 = nil }
    }

    package func isOutage(at now: Duration) -> Bool {
        awaySince.withLock { since in since.map { now - $0 >= Self.patience } ?? false }
    }
}
