import RecordLog
import StreamCore
import Tracing

/// What each kind of failure leads to (R6), and the way back: the states of `ThreadState` that settle something. An
/// unknown outcome is never taken for success.
extension StreamThread {
    // MARK: - Failing

    /// A step of a transaction has failed. Nothing is asked of a broker here, so that a rebalance callback may end with
    /// it (R16).
    ///
    /// - Parameter commit: the commit whose outcome is not known; `nil` if it was not sent.
    func fail(
        _ error: TransactionError, committing commit: ThreadState.CommitInDoubt? = nil, until deadline: Duration
    ) {
        switch error {
        case .abortable(let cause) where commit != nil:
            enter(.aborting(.init(cause: cause, commit: commit, deadline: abortDeadline(deadline))))
        case .abortable(let cause): abort(because: cause, until: deadline)
        // What was not sent has not happened, so that the transaction can still be aborted.
        case .retriable(let cause) where commit == nil: abort(because: cause, until: deadline)
        case .retriable(let cause), .fenced(let cause), .fatal(let cause):
            if commit == nil { revertTasks(because: cause) }
            var doubt = ThreadState.Doubt(cause: cause, commit: commit)
            // Who was away for longer than a transaction may last, or was succeeded, has not failed; nor has who waited
            // for a broker: the one that leads an output may be away while the coordinator answers.
            if case .fenced = error { doubt.hasWaited = true }
            if [.timedOut, .unreachable].contains(cause.code) { doubt.hasWaited = true }
            enter(.inDoubt(doubt))
        }
    }

    /// Drops the overlays and rewinds; the producer's part follows in `settle`.
    func abort(because cause: LogError, until deadline: Duration? = nil) {
        revertTasks(because: cause)
        guard state.name == .open else { return }
        enter(.aborting(.init(cause: cause, deadline: abortDeadline(deadline))))
    }

    private func abortDeadline(_ deadline: Duration?) -> Duration {
        max(deadline ?? .zero, clock.monotonic() + settings.attemptTimeout)
    }

    /// All tasks are as after their last commit.
    private func revertTasks(because cause: LogError) {
        dropOutputs()
        var moved: [PartitionCursor] = []
        for runtime in tasks.running {
            runtime.hasProduced = false
            runtime.isBroughtUp = false
            let positions = Set(runtime.task.revert())
            // What is read again counts then.
            for cursor in runtime.cursors { _ = cursor.takeOldest() }
            moved += runtime.cursors.filter { positions.contains($0.position) && $0.isAssigned }
        }
        for cursor in moved { cursor.needsSeek = true }
        forgetComparisons(of: moved)
        counts.noteAbort()
        trace?.end(failure: (cause.name, cause.message))
        observer(.aborted(cause))
    }

    private func dropOutputs() {
        outbox.drop()
        // What was sent may be committed nevertheless, as far as the thread knows.
        forgetBarriers()
        pace.noteAbort()
    }

    // MARK: - Settling

    /// First thing in an iteration: settles what is owed, as far as it goes without waiting. Each attempt takes a
    /// second at most (R16), and after one that took half of that the iteration goes on: the consumer is polled in
    /// between.
    ///
    /// - Throws: when the producer failed too often in a row.
    func settle() throws(StreamFailure) {
        let began = clock.monotonic()
        while !state.mayProcess {
            let before = state.name
            switch state {
            case .initialising: try initialise()
            case .aborting(let abort): try settleAbort(abort)
            case .inDoubt(let doubt):
                if isPausing { return }
                try replaceProducer(doubt)
            case .verifying(let doubt): verify(doubt)
            case .checking(let check): try look(check)
            case .ready, .open, .ended: return
            }
            if state.name == before || clock.monotonic() - began >= settings.attemptTimeout / 2 { return }
        }
    }

    /// The last thing of a thread that leaves: its consumer is closed, so that an outcome is not verified any more. Who
    /// takes over finds an open claim and ends what is open (R15), but none of a thread in its first transaction, and
    /// the group has forgotten that by then. Takes an attempt's time and half of that at most (R16).
    func endOpenTransaction() throws(StreamFailure) {
        let deadline = clock.monotonic() + settings.attemptTimeout / 2
        while true {
            switch state {
            case .aborting(let abort): try settleAbort(abort)
            case .inDoubt(let doubt) where !isPausing: try replaceProducer(doubt)
            case .inDoubt: break
            default: return
            }
            if clock.monotonic() >= deadline { return }
            clock.pause(.milliseconds(5))
        }
    }

    private func initialise() throws(StreamFailure) {
        do throws(TransactionError) {
            try producer.initialise(timeout: settings.attemptTimeout)
            enter(.ready)
        } catch {
            observer(.failed(error.cause, doing: "initialising the producer"))
            switch error {
            case .retriable: break
            case .abortable(let cause), .fenced(let cause), .fatal(let cause):
                enter(.inDoubt(.init(cause: cause)))
            }
        }
    }

    private func settleAbort(_ abort: ThreadState.Abort) throws(StreamFailure) {
        do throws(TransactionError) {
            try producer.abort(timeout: settings.attemptTimeout)
        } catch {
            if case .retriable = error, clock.monotonic() < abort.deadline { return }
            var doubt = ThreadState.Doubt(cause: error.cause, commit: abort.commit)
            if case .fenced = error { doubt.hasWaited = true }
            return enter(.inDoubt(doubt))
        }
        if abort.commit != nil { revertTasks(because: abort.cause) }
        if abort.cause.code == .recordTooLarge { try end(because: abort.cause) }
        if abort.cause.lasts { try countLasting(abort.cause) }
        // A record that was not delivered may have been for a topic that is gone.
        let isSuspect = [.unknownTopicOrPartition, .timedOut, .unreachable].contains(abort.cause.code)
        enter(isSuspect ? .checking(.init(cause: abort.cause, isCounted: false)) : .ready)
    }

    /// Initialising the id settles the transaction: it aborts what is open, and waits for what is decided.
    private func replaceProducer(_ known: ThreadState.Doubt) throws(StreamFailure) {
        var doubt = known
        if !doubt.isReplaced { try makeProducer(&doubt) }
        do throws(TransactionError) {
            try producer.initialise(timeout: settings.attemptTimeout)
            refusals.forgiveProducer()
            enter(.verifying(doubt))
        } catch {
            observer(.failed(error.cause, doing: "initialising the producer"))
            switch error {
            case .retriable:
                // A broker that does not answer is waited for.
                doubt.hasWaited = true
            case .abortable(let cause), .fenced(let cause), .fatal(let cause):
                doubt.cause = cause
                doubt.isReplaced = false
                if cause.lasts { pause(after: cause, of: .producer, count: failures.inARow) }
            }
            life.stay(.inDoubt(doubt))
        }
    }

    private func makeProducer(_ doubt: inout ThreadState.Doubt) throws(StreamFailure) {
        failures.count()
        observer(.producerReplaced(doubt.cause, failuresInARow: failures.inARow))
        // A failure that comes again before the id is initialised is not explained by a topic that is missing.
        if failures.inARow > settings.failuresMax { try giveUp(because: doubt.cause) }
        let transactionalId = producer.transactionalId
        producer.destroy()
        do throws(LogError) {
            producer = try cluster.makeTransactionalProducer(
                transactionalId: transactionalId, clientId: transactionalId)
        } catch {
            enter(.ended)
            throw StreamFailure("cannot make a producer: \(error)")
        }
        doubt.isReplaced = true
    }

    /// Finds out whether the commit in doubt took place.
    private func verify(_ doubt: ThreadState.Doubt) {
        let check = ThreadState.Check(cause: doubt.cause, isCounted: true, isExcused: doubt.hasWaited)
        guard let commit = doubt.commit else { return enter(.checking(check)) }
        let witnesses = commit.writers.compactMap { tasks[$0] }.filter(\.isRunning)
        guard !witnesses.isEmpty else {
            // All that it wrote belongs to others by now.
            revertTasks(because: doubt.cause)
            return enter(.checking(check))
        }
        let places = witnesses.map { TopicPartition(settings.exchangeTopic, $0.task.partition) }
        let claims: [Claim]
        do throws(LogError) {
            let committed = try consumer.committed(places, timeout: settings.attemptTimeout)
            claims = places.compactMap { committed[$0].flatMap { Claim($0.metadata, prefix: claimPrefix) } }
        } catch {
            observer(.failed(error, doing: "asking whether a commit took place"))
            return
        }
        switch CommitOutcome(of: commit, by: producer.transactionalId, claims: claims) {
        case .committed: finish(commit)
        case .aborted: revertTasks(because: doubt.cause)
        case .unknown: retakeAllTasks(because: doubt.cause)
        }
        enter(.checking(check))
    }

    func retakeAllTasks(because cause: LogError) {
        revertTasks(because: cause)
        for runtime in tasks.ordered { retake(runtime) }
    }

    func giveUp(because cause: LogError) throws(StreamFailure) {
        enter(.ended)
        throw StreamFailure(
            """
            the producer failed \(failures.inARow) times in a row, last: \(cause); the transactional id is \
            \(producer.transactionalId), its outputs are \(topology.outputs.joined(separator: ", "))
            """)
    }
}
