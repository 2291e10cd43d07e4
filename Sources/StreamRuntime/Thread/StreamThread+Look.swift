import RecordLog
import StreamCore

/// The state *checking*: all is settled, and the topics are looked at before anything is processed.
extension StreamThread {
    /// A topic that is missing is waited for, and so is a broker; every other failure counts (R6).
    func look(_ known: ThreadState.Check) throws(StreamFailure) {
        var check = known
        let now = clock.monotonic()
        if let last = check.lastLook, now - last < settings.attemptTimeout { return }
        check.lastLook = now
        let names = topology.outputs + [settings.exchangeTopic, settings.stateTopic]
        let event: StreamEvent
        do throws(LogError) {
            let found = try admin.describeTopics(names, timeout: settings.attemptTimeout)
            event = .topicsMissing(names.filter { found[$0] == nil }, check.cause)
        } catch {
            event = .failed(error, doing: "looking whether all topics are there")
        }
        if case .topicsMissing(let missing, _) = event {
            if missing.isEmpty { return try finishLook(check) }
            check.missing = missing
            if missing.contains(settings.stateTopic) || missing.contains(settings.exchangeTopic) {
                check.wasStateMissing = true
            }
        }
        if !check.isSaid { observer(event) }
        check.isSaid = true
        check.isExcused = true
        life.stay(.checking(check))
    }

    private func finishLook(_ check: ThreadState.Check) throws(StreamFailure) {
        if check.isCounted && check.isExcused { failures.excuse() }
        if check.isCounted && failures.inARow >= settings.failuresMax { try giveUp(because: check.cause) }
        // The topic may be a new one: the memory of this thread is not in it, and taking over says so.
        if check.wasStateMissing {
            dropStandbys()
            retakeAllTasks(because: check.cause)
        }
        enter(.ready)
    }
}
