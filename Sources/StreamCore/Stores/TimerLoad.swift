public import RecordLog

/// How many timers there are, and how many of them are due: what a processor counts for whoever watches.
public struct TimerLoad: Hashable, Sendable {
    /// The time by which a timer is due or not.
    public let now: Instant
    /// All that are armed.
    public private(set) var armed = 0
    /// Those that are due, of all heaps together as far as `dueMax`: a look stays cheap when all are due at once.
    public private(set) var due = 0
    public let dueMax: Int

    /// - Parameter dueMax: the most that are counted; 0 or more.
    public init(at now: Instant, dueMax: Int) {
        self.now = now
        self.dueMax = dueMax
    }

    public mutating func add(_ heap: TimerHeap) {
        armed += heap.count
        due += heap.dueCount(at: now, atMost: dueMax - due)
    }

    public mutating func add<Value>(_ timers: SlotTimers<Value>) { add(timers.heap) }
}
