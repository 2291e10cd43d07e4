import Foundation
import TestBroker
import Testing

@Suite struct SharingTests {
    private static let sessionTimeout = Duration.seconds(6)
    /// Long enough after the others for everything to be due again, whatever the time of their last renewal.
    private static let later = "2026-03-01T14:00:00Z"

    @Test("two processes share the work; when one is killed, the other takes its tasks over, with the same result")
    func takeover() async throws {
        var data = GeneratedData()
        data.steps = 300
        var pair = try await Application("pair")
        pair.settings = ["--set", "session.timeout=PT6S"]
        try await data.publish(to: pair, telemetry: false)
        let survivor = try pair.start("process", "--clock", GeneratedData.clock)
        let victim = try pair.start("process", "--clock", GeneratedData.clock)
        let isShared = await eventually(within: .seconds(60)) {
            let tasks = [survivor, victim].map { Self.tasks(in: $0.errorOutput) }
            return tasks.allSatisfy { $0.count == 2 } && tasks[0].isDisjoint(with: tasks[1])
        }
        try #require(isShared, "\(survivor.errorOutput)\n\(victim.errorOutput)")
        let moving = Self.tasks(in: victim.errorOutput).sorted()

        let telemetry = try pair.file("telemetry.jsonl", data.telemetry())
        let producer = try pair.start("produce", "telemetry", "--json", telemetry, "--rate", "3000")
        let isBusy = try await eventually(within: .seconds(60)) {
            try await pair.committed("vehicle.telemetry").allSatisfy { $0 > 1000 }
        }
        try #require(isBusy, "\(survivor.errorOutput)\n\(victim.errorOutput)")
        victim.kill()
        let killedAt = ContinuousClock.now
        _ = await victim.result()
        let left = try await pair.committed("vehicle.telemetry")
        let isTakenOver = try await eventually(within: .seconds(60), every: .milliseconds(10)) {
            let now = try await pair.committed("vehicle.telemetry")
            return moving.allSatisfy { now[$0] > left[$0] }
        }
        let took = ContinuousClock.now - killedAt
        try #require(isTakenOver, "\(survivor.errorOutput)")
        #expect(took <= Self.sessionTimeout + .seconds(2))
        #expect(producer.isRunning, "the takeover was to happen in mid-stream")

        let produced = await producer.result()
        #expect(produced.succeeded, "\(produced.failure)")
        let isRead = try await eventually(within: .seconds(60)) {
            try await pair.committed("vehicle.telemetry").reduce(0, +) >= data.count
        }
        #expect(isRead, "\(survivor.errorOutput)")
        survivor.terminate()
        let ended = await survivor.result()
        #expect(ended.succeeded, "\(ended.failure)")

        _ = try await pair.process(clock: Self.later)
        let alone = try await Application("alone", besides: pair)
        _ = try await alone.process(clock: Self.later)
        try TimelineFiles.expectEqual(try await pair.sink(), try await alone.sink())
        show(
            "takeover: the first commit of tasks \(moving) \(took.formatted(.units(width: .narrow, fractionalPart: .show(length: 2)))) "
                + "after kill -9 of their process (session time-out \(Self.sessionTimeout)); the same files as of one process")
    }

    /// The tasks that a process has, by its log.
    private static func tasks(in log: String) -> Set<Int> {
        var tasks: Set<Int> = []
        for line in log.split(separator: "\n") {
            guard let match = line.firstMatch(of: #/tasks (assigned|revoked|lost) .*tasks="?\[([0-9, ]*)\]/#) else { continue }
            let named = match.2.split(separator: ", ").compactMap { Int($0) }
            if match.1 == "assigned" { tasks.formUnion(named) } else { tasks.subtract(named) }
        }
        return tasks
    }
}
