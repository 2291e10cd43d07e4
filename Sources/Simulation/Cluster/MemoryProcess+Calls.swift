import RecordLog

/// A call of a port that has begun.
struct StartedCall: Sendable {
    var call: PortCall
    var client: String?
    /// `nil` if the call meets no broker.
    var timeout: Duration?
    /// Counted by its process, from one.
    var number: Int
    var began: Instant

    /// The time by which the call has to return.
    var deadline: Instant { began + ElapsedTime(timeout ?? .zero) }
}

/// What a process meets in its calls: its own death, being stopped, and the plan's faults.
extension MemoryProcess {
    /// Begins a call: counts it, and lets happen what happens before its effect.
    ///
    /// - Throws: `_DEAD`.
    func begin(_ call: PortCall, client: String?, timeout: Duration? = nil) throws(LogError) -> StartedCall {
        if isDead { throw Self.death }
        let (number, dies) = countCall()
        if dies { die() }
        if isDead { throw Self.death }
        let started = StartedCall(call: call, client: client, timeout: timeout, number: number, began: cluster.now)
        guard cluster.isPlanFollowed else { return started }
        try interrupt(started, .beforeEffect)
        disturb(started)
        return started
    }

    /// Ends a call that has taken effect.
    ///
    /// - Throws: `_DEAD`.
    func end(_ started: StartedCall) throws(LogError) {
        if dies(after: started.number) { die() }
        if isDead { throw Self.death }
        guard cluster.isPlanFollowed else { return }
        try interrupt(started, .afterEffect)
    }

    /// Ends a call that has failed: a process that is to die after it dies all the same.
    ///
    /// - Throws: `_DEAD`.
    func endFailed(_ started: StartedCall) throws(LogError) {
        if dies(after: started.number) { die() }
        if isDead { throw Self.death }
    }

    /// Asks for the faults of a request to the brokers, and lets the time that it takes pass.
    ///
    /// - Returns: the reason why the request never reaches them; `nil` if it does.
    func hindrance(of started: StartedCall) -> LogError? {
        guard cluster.isPlanFollowed, let timeout = started.timeout else { return nil }
        let opportunity = opportunity(started, .beforeEffect)
        if let length = cluster.length(of: .slowCall, at: opportunity) { cluster.pass(min(length, timeout)) }
        if cluster.length(of: .lostRequest, at: opportunity) != nil {
            wait(until: started.deadline)
            return .noAnswer(to: started.call)
        }
        if cluster.length(of: .unreachable, at: opportunity) != nil { return .unreachable }
        return nil
    }

    /// - Returns: the failure if the answer of a request that took effect is lost.
    func lostAnswer(of started: StartedCall) -> LogError? {
        guard cluster.isPlanFollowed, started.timeout != nil else { return nil }
        guard cluster.length(of: .lostAnswer, at: opportunity(started, .afterEffect)) != nil else { return nil }
        wait(until: started.deadline)
        return .noAnswer(to: started.call)
    }

    /// Lets the time up to a moment pass.
    func wait(until moment: Instant) {
        while cluster.now < moment { cluster.pass(Duration(moment - cluster.now)) }
    }

    func opportunity(_ started: StartedCall, _ moment: FaultMoment) -> Opportunity {
        Opportunity(
            call: started.call, moment: moment, client: started.client, process: name, timeout: started.timeout,
            now: cluster.now)
    }

    private func interrupt(_ started: StartedCall, _ moment: FaultMoment) throws(LogError) {
        // Ports of the cluster itself belong to no process.
        guard serial > 0 else { return }
        let opportunity = opportunity(started, moment)
        if cluster.length(of: .crash, at: opportunity) != nil { die() }
        if isDead { throw Self.death }
        if let length = cluster.length(of: .pause, at: opportunity) {
            halt()
            cluster.pass(length)
            resume()
        }
        if isDead { throw Self.death }
    }

    /// What happens to the coordinators, and to the groups that the process is a member of.
    private func disturb(_ started: StartedCall) {
        let opportunity = opportunity(started, .beforeEffect)
        if let length = cluster.length(of: .groupCoordinatorMove, at: opportunity) {
            cluster.moveGroupCoordinator(for: length)
        }
        if let length = cluster.length(of: .transactionCoordinatorMove, at: opportunity) {
            cluster.moveTransactionCoordinator(for: length)
        }
        guard cluster.withBroker({ $0.hasMember(ofProcess: serial) }) else { return }
        if cluster.length(of: .rebalance, at: opportunity) != nil {
            cluster.withBroker { $0.rebalanceGroups(ofProcess: serial, times: 1) }
        }
        if cluster.length(of: .rebalanceAgain, at: opportunity) != nil {
            cluster.withBroker { $0.rebalanceGroups(ofProcess: serial, times: 2) }
        }
        if cluster.length(of: .expulsion, at: opportunity) != nil {
            cluster.withBroker { $0.expel(process: serial) }
        }
        if cluster.length(of: .groupForgotten, at: opportunity) != nil {
            cluster.withBroker { $0.forgetMembers() }
        }
    }
}

extension LogError {
    static func noAnswer(to call: PortCall) -> LogError {
        LogError(.timedOut, name: "_TIMED_OUT", "\(call) has got no answer in time", isRetriable: true)
    }

    static let unreachable = LogError(
        .unreachable, name: "_TRANSPORT", "no broker is reachable", isRetriable: true)

    static func coordinatorIsMoving(_ what: String) -> LogError {
        LogError(.other, name: "NOT_COORDINATOR", "the \(what) coordinator is moving", isRetriable: true)
    }
}
