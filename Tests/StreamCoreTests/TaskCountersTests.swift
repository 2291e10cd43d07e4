import StreamCore
import Testing

@Suite("Counters of tasks")
struct TaskCountersTests {
    private static let key = CounterKey("announced", "Fleet", "scheduled")

    private func counted(_ amount: Int) -> TaskCounters {
        var counters = TaskCounters(of: TallyProcessor.topology)
        counters.records = amount
        counters[TallyProcessor.countsOutput] = amount
        counters[TallyProcessor.silentOutput] = 2 * amount
        counters.add(amount, to: Self.key.name, Self.key.label, Self.key.other)
        return counters
    }

    @Test("a thread that has committed nothing yet adds nothing, in whichever order threads are added up")
    func empty() {
        let fresh = TaskCounters()
        for threads in [[counted(3), fresh], [fresh, counted(3)], [counted(1), fresh, counted(2)]] {
            let sum = threads.reduce(into: TaskCounters()) { $0.add($1) }
            #expect(sum.records == 3)
            #expect(sum[TallyProcessor.countsOutput] == 3 && sum[TallyProcessor.silentOutput] == 6)
            #expect(sum.labelled == [Self.key: 3])
        }
        let none = [fresh, fresh].reduce(into: TaskCounters()) { $0.add($1) }
        #expect(none.records == 0 && none[TallyProcessor.countsOutput] == 0)
    }
}
