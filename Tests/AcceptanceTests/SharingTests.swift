import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    @Suite struct SharingTests {
        private static let sessionTimeout = Duration.seconds(6)
        private static let transactionTimeout = Duration.seconds(60)
        /// Long enough after the others for everything to be due again, whatever the time of their last renewal.
        private static let later = "2026-03-01T14:00:00Z"

        @Test("two processes share the work; when one is killed, the other takes its tasks over, with the same result")
        func takeover() async throws {
            var data = GeneratedData(steps: 400)
            var pair = try await Application("pair")
            pair.settings = ["--set", "session.timeout=PT6S", "--set", "transaction.timeout=PT1M"]
            try await data.publish(to: pair, telemetry: false)
            let telemetry = try pair.file("telemetry.jsonl", data.telemetry())
            let survivor = try pair.start("process", "--clock", GeneratedData.clock)
            let producer = try pair.start("produce", "telemetry", "--json", telemetry, "--rate", "500")

            // Whoever waits for the transaction of the dead one to time out waits for a minute. How much sooner it is
            // on a machine without other work, `Scripts/measure-takeover` says.
            let takeover = try await killAndWait(pair, survivor)
            #expect(takeover.commit < Self.transactionTimeout / 2, "\(takeover)\n\(survivor.errorOutput)")
            #expect(producer.isRunning, "the takeover was to happen in mid-stream")
            for process in [producer, survivor] {
                process.terminate()
                let result = await process.result()
                #expect(result.succeeded, "\(result.failure)")
            }

            _ = try await pair.process(clock: Self.later)
            let alone = try await Application("alone", besides: pair)
            let whole = try await alone.process(clock: Self.later)
            try TimelineFiles.expectEqual(try await pair.sink(), try await alone.sink())
            #expect(try await pair.committed("vehicle.telemetry") == alone.committed("vehicle.telemetry"))
            show(
                "two processes, one killed -9, session time-out \(Self.sessionTimeout): "
                    + "\(takeover); "
                    + "after \(whole.records) records the same files as of one process")
        }

        /// Starts a second process, lets it work, kills it, and waits until its tasks go on.
        private func killAndWait(_ pair: Application, _ survivor: ProcessRunner) async throws -> Takeover {
            let victim = try pair.start("process", "--clock", GeneratedData.clock)
            let isShared = await eventually(within: .seconds(60)) {
                let tasks = [survivor, victim].map { Self.tasks(in: $0.errorOutput) }
                return tasks.allSatisfy { $0.count == 2 } && tasks[0].isDisjoint(with: tasks[1])
            }
            try #require(isShared, "\(survivor.errorOutput)\n\(victim.errorOutput)")
            let moving = Self.tasks(in: victim.errorOutput).sorted()
            let before = try await pair.committed("vehicle.telemetry")
            let isBusy = try await eventually(within: .seconds(60)) {
                let now = try await pair.committed("vehicle.telemetry")
                return zip(now, before).allSatisfy { $0 > $1 + 100 }
            }
            try #require(isBusy, "\(survivor.errorOutput)\n\(victim.errorOutput)")

            victim.kill()
            let (killedAt, killedOn) = (ContinuousClock.now, Date())
            _ = await victim.result()
            let left = try await pair.committed("vehicle.telemetry")
            let isTakenOver = try await eventually(within: .seconds(120), every: .milliseconds(10)) {
                let now = try await pair.committed("vehicle.telemetry")
                return moving.allSatisfy { now[$0] > left[$0] }
            }
            let took = ContinuousClock.now - killedAt
            try #require(isTakenOver, "\(survivor.errorOutput)")
            return Takeover(
                tasks: moving, commit: took,
                assignment: Self.time(from: killedOn, toLast: "tasks assigned", in: survivor.errorOutput),
                running: Self.time(from: killedOn, toLast: "running restoredRecords=", in: survivor.errorOutput))
        }

        /// The time of each step after the kill.
        private struct Takeover: CustomStringConvertible {
            var tasks: [Int]
            /// The first one of input records of all the tasks.
            var commit: Duration
            var assignment: Duration?
            var running: Duration?

            var description: String {
                func text(_ duration: Duration?) -> String {
                    duration?.formatted(.units(width: .narrow, fractionalPart: .show(length: 2))) ?? "?"
                }
                return "tasks \(tasks) assigned after \(text(assignment)), running after \(text(running)), "
                    + "first commit after \(text(commit))"
            }
        }

        /// The tasks that a process has, by its log.
        private static func tasks(in log: String) -> Set<Int> {
            var tasks: Set<Int> = []
            for line in log.split(separator: "\n") {
                guard let match = line.firstMatch(of: #/tasks (assigned|revoked|lost) .*tasks="?\[([0-9, ]*)\]/#) else {
                    continue
                }
                let named = match.2.split(separator: ", ").compactMap { Int($0) }
                if match.1 == "assigned" { tasks.formUnion(named) } else { tasks.subtract(named) }
            }
            return tasks
        }

        /// The time from an instant to the last line of a log that says `step`.
        private static func time(from date: Date, toLast step: String, in log: String) -> Duration? {
            let line = log.split(separator: "\n").last { $0.contains(" \(step)") }
            let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            guard let stamp = line?.prefix(24), let time = try? format.parse(String(stamp)) else { return nil }
            return .milliseconds(Int64(time.timeIntervalSince(date) * 1000))
        }
    }
}
