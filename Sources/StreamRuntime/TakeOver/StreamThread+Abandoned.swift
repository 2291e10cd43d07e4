import RecordLog
import StreamCore

/// Owners that the group has struck off (`AbandonedOwners`).
extension StreamThread {
    /// Asks beside this thread; the answer comes to `use`.
    func askForAbandoned() {
        let now = clock.monotonic()
        guard !inquiry.isBusy, abandoned.takeTurn(at: now, settings) else { return }
        let question = AbandonedOwners(
            transactionalId: producer.transactionalId, prefix: claimPrefix,
            outputs: topology.outputs + [settings.stateTopic],
            places: layout.exchangePartitions, known: abandoned.settling(settledClaims), now: now)
        ask { .abandoned(question.answer($0)) }
    }

    func use(_ answer: AbandonedOwners.Answer) {
        for (failure, doing) in answer.failures where !abandoned.hasFailed { observer(.failed(failure, doing: doing)) }
        let claims = Set(answer.settled ?? []).subtracting(settledClaims)
        let owners = Set(claims.map(\.transactionalId) + answer.endedVanished).sorted()
        for owner in owners { observer(.claimSettled(transactionalId: owner)) }
        abandoned.note(answer)
    }
}
