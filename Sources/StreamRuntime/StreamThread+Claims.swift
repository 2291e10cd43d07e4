import RecordLog
import StreamCore

/// Ending what dead owners left open (R4).
extension StreamThread {
    /// Ends the transactions of dead owners: whoever committed last wrote its transactional id beside the offset, and
    /// initialising a producer of that id aborts what it left open (R4).
    func settleClaims(of created: [TaskRuntime]) {
        let now = clock.monotonic()
        for runtime in created where now - runtime.lastWaitingReport >= settings.transactionTimeout + .seconds(20) {
            runtime.lastWaitingReport = now
            observer(.waiting(task: runtime.task.partition, for: now - runtime.createdAt))
        }
        let partitions = created.flatMap { sources(of: $0.task.partition).map(\.1) }
        attempt("reading claims") { () throws(LogError) in
            let claims = try probe.committed(partitions, timeout: settings.callTimeout)
            let prefix = settings.applicationId + "-"
            let owners = Set(claims.values.map(\.metadata)).filter {
                $0 != producer.transactionalId && $0.hasPrefix(prefix)
            }
            // What still blocks after that is a transaction whose owner died before its first claim was committed: its
            // time-out ends it. The owner that the claim names may live, and is not to be fenced again and again.
            for owner in owners.sorted() where created.contains(where: { !$0.settledOwners.contains(owner) }) {
                try settle(owner)
                for runtime in created { runtime.settledOwners.insert(owner) }
            }
        }
    }

    /// An owner that died before it sent its offsets left records in the changelog, and offsets that are stable.
    func settleHeldUp() {
        let now = clock.monotonic()
        var heldUp: [TaskRuntime] = []
        for runtime in tasks.values.sorted(by: { $0.task.partition < $1.task.partition }) {
            guard case .restoring(let end) = runtime.state, let since = runtime.restoringSince,
                now - since >= settings.stableOffsetsTimeout
            else { continue }
            // Once: later transactions lie beyond the end that was taken.
            runtime.restoringSince = nil
            attempt("asking for the last stable offset") { () throws(LogError) in
                let changelog = changelog(of: runtime.task.partition)
                let stable = try restorer.watermarks(of: changelog, timeout: settings.callTimeout).high
                if stable < end { heldUp.append(runtime) }
            }
        }
        if !heldUp.isEmpty { settleClaims(of: heldUp) }
    }

    private func settle(_ transactionalId: String) throws(LogError) {
        let heir = try cluster.makeTransactionalProducer(
            transactionalId: transactionalId, clientId: settings.applicationId + "-settle")
        defer { heir.destroy() }
        do throws(TransactionError) {
            try repeated(until: clock.monotonic() + settings.callTimeout) { () throws(TransactionError) in
                try heir.initialise(timeout: settings.callTimeout)
            }
        } catch {
            throw error.cause
        }
        observer(.claimSettled(transactionalId: transactionalId))
    }
}
