import RecordLog
import StreamCore

/// What a thread does while memory is short: it reads less at a time, and lets go of what can be made again.
extension StreamThread {
    /// How much the next poll may return.
    var pollMaximum: Int { settings.memory.isShort ? settings.shortPollMaximum : settings.pollMaximum }

    /// Lets go of what can be made again, where that is asked for: decoded values, and room that is kept for the next
    /// transaction. Not while a transaction is open or a message waits, for they hold on to both.
    func trimWhereAsked() {
        guard state.name == .ready, outbox.locals.isEmpty, schedule.takeTrim(settings.memory.trimCount)
        else { return }
        for runtime in tasks.all { runtime.task.trim() }
        outbox.trim()
        settings.memory.release()
    }
}
