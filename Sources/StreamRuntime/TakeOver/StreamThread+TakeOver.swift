import RecordLog
import StreamCore

/// The first steps of taking tasks over (R2, R15), in one round for all of them that is asked beside this thread
/// (`TakeOverRound`): tasks that run are not held up.
extension StreamThread {
    func takeOver() {
        receiveAnswer()
        let now = clock.monotonic()
        let waiting = tasks.all.filter { $0.isCreated || isHeldUp($0, now) }
            .sorted { $0.task.partition < $1.task.partition }
        if waiting.isEmpty || inquiry.isBusy { return }
        for runtime in waiting where now - runtime.lastWaitingReport >= settings.transactionTimeout + .seconds(20) {
            runtime.lastWaitingReport = now
            observer(.waiting(task: runtime.task.partition, for: now - runtime.createdAt))
        }
        // Rounds that get no answer for long would leave no turn for what may be the reason.
        if abandoned.isDue(at: now, settings) && rounds.leavesTurn() { return }
        guard rounds.begin(Set(waiting.map(\.serial)), at: now, interval: settings.roundInterval) else { return }
        let question = TakeOverQuestion(
            transactionalId: producer.transactionalId, prefix: claimPrefix, tasks: waiting.map(question))
        ask(isUrgent: true) { ports in
            var round = TakeOverRound(question, ports)
            round.run()
            return .takeOver(round.answer)
        }
    }

    /// A restore that takes its time may be held up by the transaction of an owner that died before its first claim.
    private func isHeldUp(_ runtime: TaskRuntime, _ now: Duration) -> Bool {
        runtime.isReadingChangelog && runtime.restore.mayBeHeldUp(at: now, patience: settings.stableOffsetsTimeout)
    }

    private func question(of runtime: TaskRuntime) -> TakeOverQuestion.Task {
        let partition = runtime.task.partition
        var end: Offset?
        if case .restoring(let target) = runtime.state { end = target }
        return TakeOverQuestion.Task(
            serial: runtime.serial, partition: partition, exchange: TopicPartition(settings.exchangeTopic, partition),
            changelog: changelog(of: partition),
            sources: layout.sources(of: partition).map { (number: $0.0, place: $0.1) },
            settled: runtime.settledClaims, settledBeside: settledClaims,
            isPatienceOver: clock.monotonic() - runtime.createdAt >= settings.unstableOffsetsPatience,
            restoringTo: end)
    }

    /// Claims of which it is known that they need not be settled again: those of the tasks that are here, and those
    /// that stood when owners were looked for last.
    var settledClaims: Set<Claim> {
        tasks.all.reduce(into: abandoned.settled) { $0.formUnion($1.settledClaims) }
    }

    func use(_ answer: TakeOverAnswer) {
        rounds.noteAnswer(at: clock.monotonic(), interval: settings.roundInterval)
        for (failure, doing) in answer.failures { observer(.failed(failure, doing: doing)) }
        for (place, metadata) in answer.unreadable where rounds.noteUnreadable(place) {
            observer(.claimUnreadable(place, metadata))
        }
        for owner in answer.settledOwners { observer(.claimSettled(transactionalId: owner)) }
        // The numbers of this id only rise, whoever used it before.
        commitNumbers.pass(answer.ownNumber)
        for runtime in tasks.ordered { use(answer, for: runtime) }
    }

    private func use(_ answer: TakeOverAnswer, for runtime: TaskRuntime) {
        if let claim = answer.settled[runtime.serial] { runtime.settledClaims.insert(claim) }
        if answer.shortened.contains(runtime.serial) {
            observer(.changelogShortened(task: runtime.task.partition))
            return retake(runtime)
        }
        // Asked again until it is answered.
        if answer.free.contains(runtime.serial) { runtime.restore.noteFree() }
        if answer.heldUp.contains(runtime.serial) { runtime.restore.wait(from: clock.monotonic()) }
        guard runtime.isCreated, let start = answer.starts[runtime.serial] else { return }
        // A topic has grown meanwhile: asked again.
        if start.starts.count != layout.sources(of: runtime.task.partition).count { return }
        if answer.unstable.contains(runtime.serial) { observer(.offsetsUnstable(task: runtime.task.partition)) }
        attempt("taking over task \(runtime.task.partition)") { () throws(LogError) in
            try beginRestoring(runtime, start)
        }
    }

    private func beginRestoring(_ runtime: TaskRuntime, _ start: TakeOverAnswer.Start) throws(LogError) {
        let from = runtime.restore.next
        guard from <= start.end else {
            // The changelog was made anew since its standby copy read it: taken over from the beginning.
            retake(runtime)
            return
        }
        let hasCopy = runtime.restore.copiedRecords > 0
        try restorer.incrementalAssign([(changelog(of: runtime.task.partition), hasCopy ? .at(from) : .earliest)])
        if hasCopy { observer(.standbyTaken(task: runtime.task.partition, next: from)) }
        runtime.beginRestoring(to: start.end, start.starts, at: clock.monotonic())
        observer(.restoring(task: runtime.task.partition, end: start.end))
    }

    /// What the claims of this application's threads begin with.
    var claimPrefix: String { settings.applicationId + "-" }
}
