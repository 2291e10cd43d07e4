import RecordLog
import StreamCore
import Testing

/// Keeps the times at which it was told that the clock went back, and has a store of which nothing is expected.
private final class ClockProcessor: Processor {
    var times: [Instant] = []

    var stores: [any ChangelogStore] { [] }
    var nextDue: Instant? { nil }

    func clockWentBack(_ context: TaskContext) { times.append(context.now) }

    func process(_ record: InputRecord, _ context: TaskContext) {}
    func receive(_ message: NodeMessage, _ context: TaskContext) {}
    func punctuate(_ context: TaskContext) {}
    func flush(_ context: TaskContext) {}
    func bringUp(_ context: TaskContext) {}
    func finishRestore(_ context: TaskContext) {}
    func committed(_ context: TaskContext) {}
    func reverted(_ context: TaskContext) {}
}

@Suite("The clock of a task")
struct ClockTests {
    private let mailbox = Mailbox()

    private func task(
        insteadOf predecessor: StreamTask? = nil, startsClockAnew: Bool = true
    ) -> (StreamTask, ClockProcessor) {
        let processor = ClockProcessor()
        nonisolated(unsafe) let made = processor
        let topology = Topology(
            sources: [], nodes: [.init(name: "clock", make: { made })], outputs: [], clockTolerance: 100,
            startsClockAnew: startsClockAnew)
        let task = StreamTask(
            partition: 0, partitions: 1, topology: topology, router: mailbox, insteadOf: predecessor)
        return (task, processor)
    }

    @Test("A step back by more than the tolerance is told once, with the new time")
    func stepBack() {
        let (task, processor) = task()
        task.finishRestore()
        for now in [10_000, 9_900, 9_899, 9_899, 20_000, 5_000, 5_001] as [Instant] { task.advance(to: now) }
        #expect(processor.times == [9_899, 5_000])
    }

    @Test("Small steps back are not told, until they add up to more than the tolerance")
    func smallSteps() {
        let (task, processor) = task()
        task.finishRestore()
        for now in [10_000, 9_960, 9_920, 9_950, 9_910] as [Instant] { task.advance(to: now) }
        #expect(processor.times == [])
        task.advance(to: 9_880)
        #expect(processor.times == [9_880])
    }

    @Test("After a restore the time is told once in any case, and again where that was undone")
    func restore() {
        let (task, processor) = task(startsClockAnew: false)
        task.advance(to: 10_000)
        #expect(processor.times == [])
        task.finishRestore()
        for now in [10_010, 10_020] as [Instant] { task.advance(to: now) }
        #expect(processor.times == [10_010])
        _ = task.revert()
        task.advance(to: 10_030)
        task.commit()
        _ = task.revert()
        task.advance(to: 10_040)
        #expect(processor.times == [10_010, 10_030])
    }

    @Test("Where every start is told its time, one that is earlier than the state is no step back")
    func restored() {
        let (task, processor) = task()
        task.advance(to: 10_000)
        task.advance(to: 1_000)
        task.finishRestore()
        task.advance(to: 500)
        #expect(processor.times == [])
        task.advance(to: 300)
        #expect(processor.times == [300])
    }

    @Test("After an abort it is told again, after a commit it is not")
    func abort() {
        let (task, processor) = task()
        task.finishRestore()
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
        first.finishRestore()
        first.advance(to: 10_000)
        first.commit()
        first.advance(to: 5_000)
        let (second, processor) = task(insteadOf: first)
        second.advance(to: 5_010)
        #expect(processor.times == [], "not before its state is there")
        second.finishRestore()
        second.advance(to: 5_020)
        #expect(processor.times == [5_020])
    }
}
