import RecordLog
import StreamCore

/// What a thread does while memory is short: it reads less at a time, and lets go of what can be made again.
extension StreamThread {
    /// How much the next poll may return.
    var pollMaximum: Int { settings.memory.isShort ? settings.shortPollMaximum : settings.pollMaximum }

    /// Lets go of what can be made again, where that is asked for: decoded values, and room that is kept for the next
    /// transaction. Not while a transaction is open or a message waits, for they hold on to both.
    func trimWhereAsked() {
        let count = settings.memory.trimCount
        guard count != seenTrims, state.name == .ready, outbox.localMessages.isEmpty else { return }
        seenTrims = count
        for runtime in tasks.values { runtime.task.trim() }
        outbox.trim()
        settings.memory.release()
    }
}
