import RecordLog
import StreamCore

/// The state *checking*: all is settled, and the topics are looked at before anything is processed.
extension StreamThread {
    /// A topic that is missing is waited for, and so is a broker; every other failure counts (R6).
    func look(_ known: ThreadState.Check) throws(StreamFailure) {
        let now = clock.monotonic()
        if let last = known.lastLook, now - last < settings.attemptTimeout { return }
        var check = known
        check.lastLook = now
        do throws(LogError) {
            check.missing = try missingTopics()
        } catch {
            return lookAgain(check, telling: .failed(error, doing: "looking whether all topics are there"))
        }
        if check.missing.isEmpty { return try finishLook(check) }
        if check.missing.contains(settings.stateTopic) || check.missing.contains(settings.exchangeTopic) {
            check.wasStateMissing = true
        }
        lookAgain(check, telling: .topicsMissing(check.missing, check.cause))
    }

    /// A topic or a broker is missing, which is told once.
    private func lookAgain(_ known: ThreadState.Check, telling event: StreamEvent) {
        var check = known
        if !check.isSaid { observer(event) }
        check.isSaid = true
        check.isExcused = true
        life.stay(.checking(check))
    }

    private func missingTopics() throws(LogError) -> [String] {
        let names = topology.outputs + [settings.exchangeTopic, settings.stateTopic]
        let found = try admin.describeTopics(names, timeout: settings.attemptTimeout)
        return names.filter { found[$0] == nil }
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
