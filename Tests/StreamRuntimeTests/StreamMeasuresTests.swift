import Metrics
import RecordLog
import Simulation
import StreamRuntime
import Testing

@Suite("What a stream thread measures")
struct StreamMeasuresTests {
    @Test("each commit, restore and rebalance counts once, and what an abort threw away counts when it is read again")
    func counts() throws {
        let application = SimulatedApplication()
        application.settings.measuresTasks = true
        let member = try application.join("a")
        application.append(50)
        try application.expectExactlyOnce()
        let status = member.thread.status
        #expect(status.commits > 0 && status.measures.commits.count == status.commits)
        #expect(status.measures.restores.count == status.tasks.count && status.measures.restoredRecords == 0)
        #expect(status.measures.rebalances.count >= 1)
        let seen = status.measures.latencies.values.reduce(0) { $0 + $1.count }
        #expect(seen > 0 && !status.measures.latencies.isEmpty)

        application.leave(member)
        let second = try application.join("b")
        try application.run(until: { second.runningTasks.count == 2 })
        application.clock.advance(by: .seconds(2))
        try application.run(rounds: 2)
        let measures = second.thread.status.measures
        #expect(measures.restoredRecords > 0)
        #expect(measures.stores.contains { $0.keys > 0 && $0.bytes > 0 })
        #expect(second.thread.status.at != nil && second.thread.status.wasEverAssigned)
    }

    @Test("where nobody asks, tasks are not looked at")
    func unasked() throws {
        let application = SimulatedApplication()
        let member = try application.join("a")
        application.append(50)
        try application.expectExactlyOnce()
        let measures = member.thread.status.measures
        #expect(measures.stores.isEmpty && measures.timers == (0, 0) && measures.commits.count > 0)
    }

    @Test("a look counts so many due timers of all tasks together, however many there are")
    func dueMax() throws {
        let application = SimulatedApplication(topology: AlarmProcessor.topology(timers: 50_000))
        application.settings.measuresTasks = true
        let member = try application.join("a")
        try application.run(until: { member.runningTasks.count == 2 })
        application.clock.advance(by: .seconds(2))
        let timers = member.thread.status.measures.timers
        #expect(timers.armed > 50_000 && timers.due == StreamMeasures.dueMax)
    }
}
