import RecordLog
import StreamCore
import Testing

/// Keeps the times at which it was told that the clock is, or may be, earlier.
private final class ClockProcessor: RecordProcessor, ClockFollower {
    static let node = NodeName<Never>(0, "clock")

    /// The clock of this process went back.
    var times: [Instant] = []
    /// The state may be of a later time.
    var restores: [Instant] = []

    var stores: [any ChangelogStore] { [] }

    func clockWentBack(_ context: TaskContext, _ step: ClockStep) {
        switch step {
        case .observed: times.append(context.now)
        case .restored: restores.append(context.now)
        }
    }

    func process(_ record: InputRecord, _ context: TaskContext) {}
}

@Suite("The clock of a task")
struct ClockTests {
    private let mailbox = Mailbox()

    private func task(
        insteadOf predecessor: StreamTask? = nil
    ) -> (StreamTask, ClockProcessor) {
        let processor = ClockProcessor()
        nonisolated(unsafe) let made = processor
        let topology = Topology(
            sources: [], nodes: [.init(ClockProcessor.node) { made }], outputs: [],
            clockTolerance: ElapsedTime(milliseconds: 100))
        let task = StreamTask(
            partition: 0, partitions: 1, topology: topology, router: mailbox, insteadOf: predecessor)
        return (task, processor)
    }

    @Test("A step back by more than the tolerance is told once, with the new time")
    func stepBack() {
        let (task, processor) = task()
        task.begin()
        for now in [10_000, 9_900, 9_899, 9_899, 20_000, 5_000, 5_001] as [Instant] { task.advance(to: now) }
        #expect(processor.times == [9_899, 5_000])
    }

    @Test("Small steps back are not told, until they add up to more than the tolerance")
    func smallSteps() {
        let (task, processor) = task()
        task.begin()
        for now in [10_000, 9_960, 9_920, 9_950, 9_910] as [Instant] { task.advance(to: now) }
        #expect(processor.times == [])
        task.advance(to: 9_880)
        #expect(processor.times == [9_880])
    }

    @Test("After a restore the time is told once in any case, and again where that was undone")
    func restore() {
        let (task, processor) = task()
        task.advance(to: 10_000)
        #expect(processor.restores == [])
        task.begin()
        for now in [10_010, 10_020] as [Instant] { task.advance(to: now) }
        #expect(processor.restores == [10_010])
        _ = task.revert()
        task.advance(to: 10_030)
        task.commit()
        _ = task.revert()
        task.advance(to: 10_040)
        #expect(processor.restores == [10_010, 10_030])
        #expect(processor.times == [])
    }

    @Test("The first time after a restore is told as one that may be earlier, not as a step back")
    func restored() {
        let (task, processor) = task()
        task.advance(to: 10_000)
        task.advance(to: 1_000)
        task.begin()
        task.advance(to: 500)
        #expect(processor.times == [])
        task.advance(to: 300)
        #expect(processor.times == [300])
    }

    @Test("After an abort it is told again, after a commit it is not")
    func abort() {
        let (task, processor) = task()
        task.begin()
        task.advance(to: 10_000)
        task.commit()
        task.advance(to: 5_000)
        _ = task.revert()
        task.advance(to: 5_010)
        #expect(processor.times == [5_000, 5_010])
        task.commit()
        _ = task.revert()
        task.advance(to: 5_020)
        #expect(processor.times == [5_000, 5_010])
    }

    @Test("Whose state is read anew by the same thread has seen what the task before it had seen")
    func replaced() {
        let (first, _) = task()
        first.begin()
        first.advance(to: 10_000)
        first.commit()
        first.advance(to: 5_000)
        let (second, processor) = task(insteadOf: first)
        second.advance(to: 5_010)
        #expect(processor.times == [], "not before its state is there")
        second.begin()
        second.advance(to: 5_020)
        #expect(processor.times == [5_020])
    }
}
