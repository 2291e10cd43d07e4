import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    @Suite struct KillTests {
        @Test("a pipeline that is killed three times in mid-replay ends with the timelines of an undisturbed one")
        func threeKills() async throws {
            var data = GeneratedData(steps: 2000)
            var killed = try await Application("killed")
            // Far behind, a commit comes four times in the time that a transaction may last, whatever its interval:
            // often enough that a fast machine, too, is in mid-replay after three of them.
            killed.settings = ["--set", "commit.interval.ms=20", "--set", "transaction.timeout=PT3S"]
            try await data.publish(to: killed)

            var read: [Int64] = []
            var progress: Int64 = 0
            for slice in [10, 15, 20] {
                let process = try killed.start("process", "--until-caught-up", "--clock", GeneratedData.clock)
                let hasCommitted = try await run(process, inSlicesOf: .milliseconds(slice)) {
                    try await killed.committed("vehicle.telemetry").reduce(0, +) > progress
                }
                process.kill()
                let result = await process.result()
                try #require(hasCommitted, "\(result.failure)")
                #expect(result.isSignalled && result.status == SIGKILL, "\(result.failure)")
                progress = try await killed.committed("vehicle.telemetry").reduce(0, +)
                #expect(progress < data.count, "killed too late to be in mid-replay: \(progress) of \(data.count)")
                read.append(progress)
            }
            let rest = try await killed.process(clock: GeneratedData.clock)
            #expect(rest.records > 0)
            #expect(try await killed.committed("vehicle.telemetry").reduce(0, +) == data.count)

            let undisturbed = try await Application("undisturbed", besides: killed)
            let whole = try await undisturbed.process(clock: GeneratedData.clock)
            #expect(whole.records == data.count + 270)
            try TimelineFiles.expectEqual(try await killed.sink(), try await undisturbed.sink())

            let history = try TimelineHistory(try await killed.records(of: "timelines"))
            try history.expectSoundRevisions()
            // Each run makes those again that a run before has made, where what they show has changed.
            #expect(history.configurations == 220 && history.records > 220)
            let again = try await killed.process(clock: GeneratedData.clock)
            #expect(again.timelines == 0 && again.reloads == 0)
            show(
                "kill -9 after \(read.map(String.init).joined(separator: ", ")) of \(data.count) records: "
                    + "\(history.configurations) files equal to an undisturbed run's, "
                    + "revisions sound in \(history.records) timelines")
        }

        /// Lets a process run until `condition` holds, which is looked at while it stands still: however busy the
        /// machine is, it comes no further meanwhile.
        private func run(
            _ process: ProcessRunner, inSlicesOf slice: Duration, until condition: () async throws -> Bool
        ) async throws -> Bool {
            let deadline = ContinuousClock.now + .seconds(300)
            while ContinuousClock.now < deadline && process.isRunning {
                process.signal(SIGCONT)
                try await Task.sleep(for: slice)
                process.signal(SIGSTOP)
                if try await condition() { return true }
            }
            return false
        }
    }
}
