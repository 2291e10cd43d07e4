import RecordLog
import StreamCore

/// What each kind of failure leads to (R6). An unknown outcome is never taken for success.
extension StreamThread {
    func recover(from error: TransactionError) throws(StreamFailure) {
        switch error {
        case .abortable(let cause): try abort(because: cause)
        case .retriable(let cause), .fenced(let cause), .fatal(let cause): try replaceProducer(because: cause)
        }
    }

    /// Aborts the transaction, drops the overlays, rewinds.
    func abort(because cause: LogError) throws(StreamFailure) {
        if isTransactionOpen {
            let deadline = clock.monotonic() + settings.transactionTimeout
            do throws(TransactionError) {
                try repeated(until: deadline) { () throws(TransactionError) in
                    try producer.abort(timeout: remaining(until: deadline))
                }
            } catch {
                try replaceProducer(because: error.cause)
                return
            }
            isTransactionOpen = false
        }
        dropOutputs()
        for runtime in runningTasks {
            runtime.hasProduced = false
            runtime.isBroughtUp = false
            let moved = Set(runtime.task.revert())
            for cursor in runtime.inputs + [runtime.exchange].compactMap({ $0 })
            where moved.contains(cursor.position) && cursor.isAssigned {
                cursor.needsSeek = true
            }
        }
        abortsCount += 1
        observer(.aborted(cause))
    }

    /// The transaction's outcome is not known, or the producer is of no use: initialising its id anew settles the one
    /// and mends the other, and all tasks are taken over anew, for their state may be either. A thread that gives up
    /// has nothing left that leaving could commit.
    func replaceProducer(because cause: LogError) throws(StreamFailure) {
        failuresInARow += 1
        observer(.producerReplaced(cause, failuresInARow: failuresInARow))
        isTransactionOpen = false
        dropOutputs()
        retakeAllTasks()
        if failuresInARow >= settings.failuresMax {
            throw StreamFailure("the producer failed \(failuresInARow) times in a row, last: \(cause)")
        }
        let transactionalId = producer.transactionalId
        producer.destroy()
        do throws(LogError) {
            producer = try cluster.makeTransactionalProducer(
                transactionalId: transactionalId, clientId: transactionalId)
        } catch {
            throw StreamFailure("cannot make a producer: \(error)")
        }
        try initialiseProducer()
    }

    /// Waits for as long as an outage lasts, but no longer once the thread is to end. What never can succeed ends it.
    func initialiseProducer() throws(StreamFailure) {
        while true {
            willWait()
            do throws(TransactionError) {
                return try producer.initialise(timeout: settings.transactionTimeout)
            } catch {
                observer(.failed(error.cause, doing: "initialising the producer"))
                switch error {
                case .retriable where shouldEnd(): return
                case .retriable: continue
                case .abortable(let cause), .fenced(let cause), .fatal(let cause):
                    try replaceProducer(because: cause)
                    return
                }
            }
        }
    }

    private func retakeAllTasks() {
        let now = clock.monotonic()
        var inputs: [TopicPartition] = []
        for (partition, runtime) in tasks.sorted(by: { $0.key < $1.key }) {
            inputs += letGo(of: runtime)
            tasks[partition] = makeRuntime(partition, now: now, insteadOf: runtime.task)
        }
        if inputs.isEmpty { return }
        attempt("letting inputs go") { () throws(LogError) in try consumer.incrementalUnassign(inputs) }
    }

    private func dropOutputs() {
        exchangeOutputs.removeAll()
        sentThroughExchange.removeAll()
        localMessages.removeAll()
    }
}
