import RecordLog
import StreamCore

/// Has a number of timers that are all due from the start, fires a portion of them a call, and notes how many records
/// of each source came before; conflates with a portion of its own.
final class AlarmProcessor: RecordProcessor, Punctuator, ConflatingProcessor, DerivingProcessor {
    static let node = NodeName<Never>(0, "alarms")
    static let late = 2

    /// - Parameters:
    ///   - timers: of each task.
    ///   - flushed: units of work for which flushes wait.
    ///   - slow: called in each flush.
    static func topology(
        timers: Int, timersAfter: Int = 2, flushed: Int = 0, slow: @escaping @Sendable () -> Void = {}
    ) -> Topology {
        Topology(
            sources: [
                .init(topic: "a.early", to: node, readingOrder: 0),
                .init(topic: "b.late", to: node, readingOrder: late),
            ],
            nodes: [
                .init(node, writes: [OutputName(0), OutputName(1)], timersAfter: timersAfter) {
                    AlarmProcessor(timers: timers, flushed: flushed, slow: slow)
                }
            ], outputs: ["fired", "flushed"])
    }

    private let total: Int
    private let slow: @Sendable () -> Void
    /// Timers that have fired, and units that were flushed: state, for who takes over goes on there.
    private let counts = StateStore(StoreName<Counter>(1, "counts"))
    private let work: Int

    init(timers: Int, flushed: Int, slow: @escaping @Sendable () -> Void) {
        total = timers
        work = flushed
        self.slow = slow
    }

    var stores: [any ChangelogStore] { [counts] }

    private func advance(_ key: String, by amount: Int) {
        let slot = counts.slot(of: key)
        counts[slot] = Counter((counts[slot]?.value ?? 0) + Int64(amount))
    }

    private func count(_ key: String) -> Int { Int(counts[counts.slot(of: key)]?.value ?? 0) }

    func process(_ record: InputRecord, _ context: TaskContext) { advance("records", by: 1) }

    var nextDue: Instant? { count("fired") < total ? Instant(milliseconds: 0) : nil }

    func count(_ load: inout TimerLoad) {
        var timers = TimerHeap()
        for timer in 0..<(total - count("fired")) { timers.arm(timer, due: Instant(milliseconds: 0)) }
        load.add(timers)
    }

    func punctuate(_ context: TaskContext) {
        let portion = min(context.timerPortion, total - count("fired"))
        if portion == 0 { return }
        advance("fired", by: portion)
        emit(OutputName(0), "\(portion) after \(count("records"))", context)
    }

    var hasMoreToFlush: Bool { count("flushed") < work }

    func flush(_ context: TaskContext) {
        slow()
        let portion = min(context.flushPortion, work - count("flushed"))
        if portion == 0 { return }
        advance("flushed", by: portion)
        emit(OutputName(1), "\(portion)", context)
    }

    private func emit(_ output: OutputName, _ text: String, _ context: TaskContext) {
        Array(text.utf8).withUnsafeBytes { context.emit(output, key: nil, value: $0, headers: []) }
    }

    func finishRestore(_ context: TaskContext, _ portion: inout Int) -> Bool { true }
    func reverted(_ context: TaskContext) {}
}
