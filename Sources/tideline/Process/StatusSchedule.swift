import StreamRuntime

/// Decides when a status is worth a line of the log: when something changed, and once a minute.
struct StatusSchedule {
    /// The changes that an operator wants to know at once.
    private struct Changes: Equatable {
        var running: Int
        var restoring: Int
        var waiting: Int
        var isAway: Bool
    }

    /// The numbers that go on changing for a while: they are worth a line every ten seconds as long as they change.
    private struct Advances: Equatable {
        var restoredPercent: Int?
        var aborts: Int
        var deadLetters: Int
    }

    private var changes: Changes?
    private var advances: Advances?
    private var last: Duration?
    private static let soon = Duration.seconds(1)
    private static let lasting = Duration.seconds(10)
    private static let regular = Duration.seconds(60)

    /// True if this status is to be written now; then it counts as written.
    ///
    /// - Parameter now: the time on a clock that does not go back.
    mutating func isDue(_ status: PipelineStatus, now: Duration) -> Bool {
        let changes = Changes(
            running: status.running, restoring: status.restoring, waiting: status.waiting,
            isAway: status.away != nil)
        let advances = Advances(
            restoredPercent: status.restoredPercent, aborts: status.aborts, deadLetters: status.deadLetters)
        if let last {
            let waited = now - last
            let isChangeDue = changes != self.changes && waited >= Self.soon
            let isAdvanceDue = advances != self.advances && waited >= Self.lasting
            guard waited >= Self.regular || isChangeDue || isAdvanceDue else { return false }
        }
        self.changes = changes
        self.advances = advances
        last = now
        return true
    }
}
