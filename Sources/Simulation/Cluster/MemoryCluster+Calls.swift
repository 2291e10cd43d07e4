import RecordLog
import Synchronization

/// What every port does in every call.
extension MemoryCluster {
    var isPlanFollowed: Bool { faults.withLock { $0.kinds != 0 } }

    func moveGroupCoordinator(for length: Duration) {
        withBroker { $0.groupCoordinatorBackAt = max($0.groupCoordinatorBackAt, $0.now + ElapsedTime(length)) }
    }

    func moveTransactionCoordinator(for length: Duration) {
        withBroker {
            $0.transactionCoordinatorBackAt = max($0.transactionCoordinatorBackAt, $0.now + ElapsedTime(length))
        }
    }

    /// The producers of a process that has died, or one producer that was destroyed, send nothing any more.
    func endProducers(of process: Int, producer: Int? = nil, process name: String) {
        let isOfDead = { @Sendable (request: Request) in
            !request.isOrphan && request.process == process && (producer == nil || request.producer == producer)
        }
        let hasRecords = withBroker { broker in
            broker.underWay.contains { if case .produce = $0.what { isOfDead($0) } else { false } }
        }
        var survival: Duration?
        if hasRecords {
            let opportunity = Opportunity(
                call: .transactional(.destroy), moment: .afterEffect, client: nil, process: name, timeout: nil,
                now: now)
            survival = length(of: .survivingRequest, at: opportunity)
        }
        withBroker { $0.orphan(where: isOfDead, survival: survival) }
    }
}

extension MemoryProcess {
    /// A call of a port other than a transactional one, together with the faults that wait for it.
    ///
    /// - Parameter obstacle: returns until when the call cannot be served, and the reason, if so; asked again after
    ///   each wait.
    func attempt<Result: Sendable>(
        _ call: LogCall, client: String?, timeout: Duration?,
        obstacle: (borrowing Broker) -> (until: Instant, failure: LogError)? = { _ in nil },
        _ body: (inout Broker) throws(LogError) -> Result
    ) throws(LogError) -> Result {
        let started = try begin(.log(call), client: client, timeout: timeout)
        do throws(LogError) {
            if let failure = hindrance(of: started) { throw failure }
            try overcome(started, obstacle)
            let result = try cluster.withBroker { (broker) throws(LogError) -> Result in
                if let fault = broker.logFaults.next(call, .beforeEffect, client: client) { throw fault }
                let result = try body(&broker)
                if let fault = broker.logFaults.next(call, .afterEffect, client: client) { throw fault }
                return result
            }
            try end(started)
            if let failure = lostAnswer(of: started) { throw failure }
            return result
        } catch {
            try endFailed(started)
            throw error
        }
    }

    /// Waits until the obstacle is gone, at most for the call's time-out.
    ///
    /// - Throws: the obstacle's failure.
    func overcome(
        _ started: StartedCall, _ obstacle: (borrowing Broker) -> (until: Instant, failure: LogError)?
    ) throws(LogError) {
        while let (until, failure) = cluster.withBroker({ broker in obstacle(broker) }) {
            guard cluster.settings.callsWait, cluster.now < started.deadline else { throw failure }
            wait(until: min(until, started.deadline))
            if isDead { throw Self.death }
        }
    }
}
