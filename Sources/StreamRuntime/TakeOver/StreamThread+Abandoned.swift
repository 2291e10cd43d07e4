import RecordLog
import StreamCore

/// Owners that have died (`AbandonedOwners`).
extension StreamThread {
    /// Asks beside this thread; the answer comes to `use`.
    func askForAbandoned() {
        let now = clock.monotonic()
        guard !inquiry.isBusy, abandoned.takeTurn(at: now, settings) else { return }
        let question = AbandonedOwners(
            transactionalId: producer.transactionalId, prefix: claimPrefix,
            outputs: topology.outputs + [settings.stateTopic],
            places: layout.exchangePartitions, known: abandoned.settling(settledClaims), now: now)
        ask { .abandoned(question.answer($0), askedAt: now) }
    }

    func use(_ answer: AbandonedOwners.Answer, askedAt: Duration) {
        for (failure, doing) in answer.failures where !abandoned.hasFailed { observer(.failed(failure, doing: doing)) }
        for owner in answer.ended { observer(.claimSettled(transactionalId: owner)) }
        abandoned.note(answer, askedAt: askedAt)
    }
}
