import RecordLog

/// When the positions of the inputs are looked at: now and then, and soon after something odd was read (R18). First
/// their ends, and with that, more seldom, the records before them.
struct PositionChecks {
    private var ends: Recurrence
    private var records: Recurrence
    private var areEndsSuspect = false
    private var areRecordsSuspect = false
    /// Compares the records; `nil` before there is one to compare.
    private(set) var comparer: PositionComparer?
    /// Positions that were not gone on from, since the thread began.
    private(set) var lost = 0

    /// - Parameter now: when the thread begins.
    init(at now: Duration) {
        ends = Recurrence(last: now)
        records = Recurrence(last: now)
    }

    /// - Parameter make: makes the comparer the first time.
    mutating func openComparer(
        _ make: () throws(LogError) -> PositionComparer
    ) throws(LogError) -> PositionComparer {
        if let comparer { return comparer }
        let made = try make()
        comparer = made
        return made
    }

    /// Something was read that makes the ends worth another look.
    mutating func suspectEnds() { areEndsSuspect = true }

    /// Something was read, or not answered, that makes the records before the positions worth another look.
    mutating func suspectRecords() { areRecordsSuspect = true }

    mutating func lose(_ count: Int = 1) { lost += count }

    func isDue(at now: Duration, _ settings: StreamSettings) -> Bool {
        let isOdd = areEndsSuspect || areRecordsSuspect
        return isOdd && ends.isDue(at: now, every: settings.positionCheckInterval)
            || ends.isDue(at: now, every: settings.maintenanceInterval)
    }

    /// The look begins: one that fails is not repeated before the interval is over.
    mutating func begin(at now: Duration) { ends.note(at: now) }

    /// The ends were looked at.
    ///
    /// - Returns: true if the records before the positions are to be compared as well. Then they count as compared.
    mutating func finishEnds(at now: Duration, comparing interval: Duration) -> Bool {
        areEndsSuspect = false
        guard areRecordsSuspect || records.isDue(at: now, every: interval) else { return false }
        areRecordsSuspect = false
        records.note(at: now)
        return true
    }
}
