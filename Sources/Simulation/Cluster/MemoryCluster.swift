package import RecordLog
import Synchronization

/// A cluster in memory: the same calls in the same order give the same results, always.
///
/// The ports that it makes share its state under one lock. Each port belongs to one thread as ever, and so does the
/// order of events: a test that wants the same run twice steps all ports from one thread. Listeners, the fault plan and
/// `passes` are called without the lock, so they may use every port.
///
/// Ports of the cluster itself belong to nobody: they neither die nor stop. A test that wants processes which do makes
/// them with `process(_:)`.
package final class MemoryCluster: Cluster {
    let faults = Mutex(PlannedFaults())
    let passing = Mutex<(@Sendable (Duration) -> Void)?>(nil)
    let clock: ManualClock
    package let settings: Settings
    private let broker: Mutex<Broker>

    /// What brokers and clients are configured with.
    package struct Settings: Hashable, Sendable {
        /// The cluster's id, as an admin reports it.
        package var clusterId = "memory"
        /// `transaction.timeout.ms`: the coordinator aborts a transaction after so long, and fences its producer.
        package var transactionTimeout: Duration = .seconds(10)
        /// `transaction.abort.timed.out.transaction.cleanup.interval.ms`: the coordinator looks for transactions that
        /// are too old so often. Zero lets it end each one in time.
        package var transactionCheckInterval: Duration = .zero
        /// `session.timeout.ms`: a member without heartbeats is thrown out after so long.
        package var sessionTimeout: Duration = .seconds(10)
        /// `max.poll.interval.ms`: a client that is not polled for so long leaves its group.
        package var maxPollInterval: Duration = .seconds(300)
        /// True if calls wait, by the cluster's clock and at most for their time-outs, for what has to happen first:
        /// stable offsets, markers, a coordinator. False lets them fail at once instead.
        package var callsWait = false
        /// True if a poll that finds nothing takes its time-out by the cluster's clock.
        package var pollsWait = false

        package init() {}
    }

    package convenience init(clock: ManualClock = ManualClock(), transactionTimeout: Duration = .seconds(10)) {
        var settings = Settings()
        settings.transactionTimeout = transactionTimeout
        self.init(clock: clock, settings: settings)
    }

    package init(clock: ManualClock = ManualClock(), settings: Settings) {
        self.clock = clock
        self.settings = settings
        broker = Mutex(Broker(now: clock.now, settings: settings))
    }

    /// One step of the cluster: time that has passed takes effect first.
    func withBroker<Result: Sendable, Failure: Error>(
        _ body: (inout Broker) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let now = clock.now
        return try broker.withLock { (broker) throws(Failure) -> Result in
            broker.advance(to: now)
            return try body(&broker)
        }
    }

    // MARK: - Time

    /// The cluster's time.
    package var now: Instant { clock.now }

    /// Lets time pass while a call takes long. The body must move the clock by at least the duration; it may let other
    /// members run meanwhile. `nil`, as at first, moves the clock alone.
    package func passes(_ body: (@Sendable (Duration) -> Void)?) {
        passing.withLock { $0 = body }
    }

    /// Returns once the clock has moved by the duration.
    func pass(_ duration: Duration) {
        guard duration > .zero else { return }
        let body = passing.withLock { $0 }
        guard let body else { return clock.advance(by: duration) }
        let end = clock.now + ElapsedTime(duration)
        body(duration)
        precondition(clock.now >= end, "the body of passes(_:) has not moved the clock by \(duration)")
    }

    // MARK: - Cluster

    /// The ports that the cluster makes itself are those of a process without a name, which never dies.
    private var outside: MemoryProcess { MemoryProcess(name: "", serial: 0, cluster: self) }

    package func makeConsumer(group: String?, isolation: IsolationLevel, clientId: String) throws(LogError)
        -> any Consumer
    {
        try outside.makeConsumer(group: group, isolation: isolation, clientId: clientId)
    }

    package func makeMember(of group: String, instance: String?, clientId: String) throws(LogError) -> any Consumer {
        try outside.makeMember(of: group, instance: instance, clientId: clientId)
    }

    package func makeTransactionalProducer(transactionalId: String, clientId: String) throws(LogError)
        -> any TransactionalProducer
    {
        try outside.makeTransactionalProducer(transactionalId: transactionalId, clientId: clientId)
    }

    package func makePlainProducer(clientId: String) throws(LogError) -> any PlainProducer {
        try outside.makePlainProducer(clientId: clientId)
    }

    package func makeReportingProducer(clientId: String) -> any ReportingProducer {
        MemoryReportingProducer(process: outside, clientId: clientId)
    }

    package func makeAdmin() throws(LogError) -> any Admin {
        try outside.makeAdmin()
    }
}
