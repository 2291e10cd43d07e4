import RecordLog

/// How far a task has come in reading its changelog, and how fast. All times are on the monotonic clock.
struct ChangelogRestore {
    /// The changelog has been read up to here.
    private(set) var next: Offset = 0
    private(set) var records = 0
    /// The slots that were looked at to derive what follows from the state, about.
    private(set) var derived = 0
    /// Records that its standby copy had read before the task was taken over.
    let copiedRecords: Int
    /// Until it is seen whether a dead owner's transaction holds the changelog up (R4).
    private var waitsSince: Duration?
    private var began: Duration?
    private var lastReport: Duration?

    /// - Parameter copy: what is gone on from; `nil` begins at the first record.
    init(from copy: StandbyTasks.Copy?) {
        next = copy?.next ?? 0
        copiedRecords = copy?.records ?? 0
    }

    /// True if nothing was read, by nobody.
    var isEmpty: Bool { records + copiedRecords == 0 }

    mutating func begin(at now: Duration) { began = now }

    mutating func note(_ offset: Offset) {
        records += 1
        next = offset.next
    }

    mutating func noteDerived(_ slots: Int) { derived += slots }

    /// From now on it is waited for before it is asked whether something holds the changelog up.
    mutating func wait(from now: Duration) { waitsSince = now }

    /// Nothing holds it up: later transactions lie beyond the end that is to be reached.
    mutating func noteFree() { waitsSince = nil }

    /// True if it takes so long that the transaction of an owner that died before its first claim may be why.
    func mayBeHeldUp(at now: Duration, patience: Duration) -> Bool {
        waitsSince.map { now - $0 >= patience } ?? false
    }

    /// Records each second since it began; `nil` if it did not begin, or less than a second ago: few records in a
    /// moment tell nothing.
    func rate(at now: Duration) -> Double? {
        guard let began, now - began >= .seconds(1) else { return nil }
        return Double(records) / ((now - began) / .seconds(1))
    }

    /// - Returns: true if it is time to say how far it has come. Then it counts as said.
    mutating func takeReport(at now: Duration, every interval: Duration) -> Bool {
        guard let began, now - max(lastReport ?? began, began) >= interval else { return false }
        lastReport = now
        return true
    }
}
