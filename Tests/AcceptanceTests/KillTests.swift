import Foundation
import TestBroker
import Testing

extension AcceptanceTests {
    @Suite struct KillTests {
        @Test("a pipeline that is killed three times in mid-replay ends with the timelines of an undisturbed one")
        func threeKills() async throws {
            var data = GeneratedData(steps: 300)
            var killed = try await Application("killed")
            killed.settings = ["--set", "commit.interval.ms=20"]
            try await data.publish(to: killed)

            var read: [Int64] = []
            var progress: Int64 = 0
            // At once after a commit, and at two places on the way to the next.
            for delay in [0, 120, 300] {
                let process = try killed.start("process", "--until-caught-up", "--clock", GeneratedData.clock)
                let hasCommitted = try await eventually(within: .seconds(60), every: .milliseconds(5)) {
                    try await killed.committed("vehicle.telemetry").reduce(0, +) > progress
                }
                try await Task.sleep(for: .milliseconds(delay))
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
            #expect(history.configurations == 220 && history.records > 440)
            let again = try await killed.process(clock: GeneratedData.clock)
            #expect(again.timelines == 0 && again.reloads == 0)
            show(
                "kill -9 after \(read.map(String.init).joined(separator: ", ")) of \(data.count) records: "
                    + "\(history.configurations) files equal to an undisturbed run's, "
                    + "revisions sound in \(history.records) timelines")
        }
    }
}
