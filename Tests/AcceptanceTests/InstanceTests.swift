import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// Static membership (KIP-345): a process that is started again under its name.
    @Suite struct InstanceTests {
        @Test("a process that is killed and comes back under its name commits long before its session is over")
        func returning() async throws {
            var data = GeneratedData(steps: 400)
            var application = try await Application("instance")
            application.settings = ["--set", "session.timeout=PT1M"]
            try await data.publish(to: application, telemetry: false)
            let telemetry = try application.file("telemetry.jsonl", data.telemetry())
            let producer = try application.start("produce", "telemetry", "--json", telemetry, "--rate", "200")
            let words = ["process", "--instance", "place", "--clock", GeneratedData.clock]

            var process = try application.start(words[0], words[1], words[2], words[3], words[4])
            let before = try await application.committed("vehicle.telemetry").reduce(0, +)
            let isBusy = try await eventually(within: .seconds(60)) {
                try await application.committed("vehicle.telemetry").reduce(0, +) > before + 50
            }
            try #require(isBusy, "\(process.errorOutput)")
            process.kill()
            _ = await process.result()
            let left = try await application.committed("vehicle.telemetry").reduce(0, +)
            let began = ContinuousClock.now
            process = try application.start(words[0], words[1], words[2], words[3], words[4])
            let isBack = try await eventually(within: .seconds(60), every: .milliseconds(10)) {
                try await application.committed("vehicle.telemetry").reduce(0, +) > left
            }
            let took = ContinuousClock.now - began
            try #require(isBack, "\(process.errorOutput)")
            // Without the name it would be the whole session. What it takes on a machine without other work,
            // `Scripts/measure-return` says.
            #expect(took < .seconds(45), "\(process.errorOutput)")
            for runner in [producer, process] {
                runner.terminate()
                _ = await runner.result()
            }
            show("kill -9 and start with --instance, session time-out 1 min: first commit after \(took)")
        }

        @Test("a process whose name another one has taken ends with status 70 and says both the group and the name")
        func twoOfOneName() async throws {
            let application = try await Application("fenced")
            let first = try application.start("process", "--instance", "place", timeout: .seconds(180))
            let isRunning = await eventually(within: .seconds(120)) { first.errorOutput.contains("restoredRecords") }
            try #require(isRunning, "\(first.errorOutput)")
            let second = try application.start("process", "--instance", "place", timeout: .seconds(180))
            let ended = await first.result()
            #expect(ended.status == 70 && !ended.isSignalled, "\(ended.failure)")
            let last = try #require(ended.standardError.split(separator: "\n").last)
            #expect(last.contains("another process has joined the group \(application.name)"), "\(ended.failure)")
            #expect(last.contains("as instance place") && last.contains("instance of its own"), "\(ended.failure)")
            let goesOn = await eventually(within: .seconds(120)) { second.errorOutput.contains("restoredRecords") }
            #expect(goesOn, "\(second.errorOutput)")
            second.terminate()
            #expect(await second.result().succeeded)
        }

        @Test("threads of a process have names of their own, and both come back")
        func threads() async throws {
            var application = try await Application("threads")
            application.settings = ["--set", "session.timeout=PT60S"]
            let words = ["process", "--instance", "place", "--stream-threads", "2"]
            for round in 0..<2 {
                let process = try application.start(words[0], words[1], words[2], words[3], words[4])
                let began = ContinuousClock.now
                let isRunning = await eventually(within: .seconds(60)) {
                    process.errorOutput.split(separator: "\n").count { $0.contains("running restoredRecords") } >= 4
                }
                try #require(isRunning, "\(process.errorOutput)")
                if round == 1 {
                    let took = ContinuousClock.now - began
                    #expect(took < .seconds(40), "a session lasts 60 s: \(took)")
                }
                process.kill()
                _ = await process.result()
            }
        }
    }
}
