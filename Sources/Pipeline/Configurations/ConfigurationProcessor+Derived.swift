import StreamCore

extension ConfigurationProcessor: DerivingProcessor, TransactionObserver {
    func finishRestore(_ context: TaskContext, _ portion: inout Int) -> Bool {
        while let slot = restored.next(in: table.store, &portion) {
            noteWhatWaits(for: slot)
            timers.armWatching(slot)
        }
        return restored.isDone(in: table.store) && requests.finishRestore(&portion) && readers.finishRestore(&portion)
    }

    func committed(_ context: TaskContext) {
        adopted = 0
        clockWalk.committed()
        catchUp.committed()
        requests.committed()
        pending.committed()
        publisher.failed.committed()
        timers.committed()
        readers.committed()
    }

    func reverted(_ context: TaskContext) {
        adopted = 0
        clockWalk.reverted()
        catchUp.reset()
        requests.reverted()
        table.reverted()
        pending.reverted()
        publisher.failed.reverted()
        timers.reverted()
        for slot in table.store.reverted {
            noteWhatWaits(for: slot)
            timers.armWatching(slot)
        }
        readers.reverted()
    }

    private func noteWhatWaits(for slot: Slot<ConfigurationState>) {
        if isRedeclared(slot) { redeclared.append(slot) }
        pending.restore(slot)
    }

    /// Configurations are forgotten.
    func forget(_ released: ReleasedSlots<ConfigurationState>) {
        table.forget(released)
        redeclared.forget(released)
        pending.forget(released)
        publisher.failed.forget(released)
        catchUp.forget(released)
        timers.forget(released)
        readers.forget(released)
    }
}
