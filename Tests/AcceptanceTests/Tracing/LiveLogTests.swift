import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// The log of a process that runs: what it says of sources that fail, and what signals change of it.
    @Suite struct LiveLogTests {
        private struct Line: Decodable {
            var level: String
            var logger: String
            var message: String
            var metadata: [String: Value]?
        }

        private enum Value: Decodable, Equatable {
            case number(Int)
            case text(String)
            case list([String])

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let number = try? container.decode(Int.self) {
                    self = .number(number)
                } else if let text = try? container.decode(String.self) {
                    self = .text(text)
                } else {
                    self = .list((try? container.decode([String].self)) ?? [])
                }
            }
        }

        private func lines(_ runner: ProcessRunner) -> [Line] {
            runner.errorOutput.split(separator: "\n").compactMap {
                try? JSONDecoder().decode(Line.self, from: Data($0.utf8))
            }
        }

        @Test("failed sources are errors with stable keys; SIGUSR2 takes levels per module over, SIGUSR1 lowers all")
        func signals() async throws {
            let application = try await Application("live-log", partitions: 1)
            let config = try application.file("settings.yaml", "log: {format: json, level: error}\n")
            let pipeline = try application.start("process", "--config", config)
            defer { pipeline.kill() }
            try await application.publish(
                configurations: """
                    {"configurationId": "right", "kind": "Board", "strategy": "status", "vehicleId": "v1"}
                    """)
            let wrong = #"{"configurationId": "wrong", "kind": "Board", "strategy": "nonsense"}"#
            try await application.produce(
                [(key: "wrong", value: Array(wrong.utf8), headers: [])], to: "widget.configurations")
            try await application.produce(
                [(key: "v1", value: Array("no JSON".utf8), headers: [])], to: "vehicle.telemetry")
            func failures() -> [Line] { lines(pipeline).filter { $0.message == "source.failed" } }
            #expect(await eventually { failures().count >= 2 }, "\(pipeline.errorOutput)")
            #expect(failures().count == 2 && failures().allSatisfy { $0.level == "error" && $0.logger == "pipeline" })
            let ofConfiguration = try #require(failures().first { $0.metadata?["configurationId"] != nil }?.metadata)
            #expect(ofConfiguration["configurationId"] == .text("wrong"))
            #expect(ofConfiguration["source"] == .text("configuration"))
            #expect(ofConfiguration["topic"] == .text(application.topic("widget.configurations")))
            #expect(ofConfiguration["partition"] == .number(0) && ofConfiguration["offset"] == .number(1))
            if case .text(let reason) = ofConfiguration["reason"] { #expect(reason.contains("nonsense")) }
            let ofRecord = try #require(failures().first { $0.metadata?["configurationId"] == nil }?.metadata)
            #expect(ofRecord["source"] == .text("record") && ofRecord["offset"] == .number(0))
            #expect(ofRecord["topic"] == .text(application.topic("vehicle.telemetry")))
            // Below error nothing is said, but for what a level per module lets through.
            #expect(lines(pipeline).allSatisfy { $0.level == "error" })

            let changed = "log: {format: json, level: 'error,settings=info,pipeline=debug'}\ncommit.interval.ms: 250\n"
            _ = try application.file("settings.yaml", changed)
            pipeline.signal(SIGUSR2)
            let isTaken = await eventually { lines(pipeline).contains { $0.message == "settings taken over" } }
            #expect(isTaken, "\(pipeline.errorOutput)")
            let taken = try #require(lines(pipeline).first { $0.message == "settings taken over" })
            #expect(taken.metadata?["settings"] == .list(["commit.interval.ms", "log.level"]))
            #expect(taken.logger == "settings")
            try await application.produce(
                [
                    (
                        key: "v1",
                        value: Array(
                            #"{"vehicleId": "v1", "observedAt": "\#(Date().formatted(.iso8601))", "speed": 5}"#.utf8),
                        headers: []
                    )
                ], to: "vehicle.telemetry")
            let isMade = await eventually { lines(pipeline).contains { $0.message == "timeline.made" } }
            #expect(isMade && !lines(pipeline).contains { $0.logger == "runtime" }, "\(pipeline.errorOutput)")

            // Two signals that wait at once would be one: the first is taken once something is said at its level.
            pipeline.signal(SIGUSR1)
            try await application.publish(
                configurations: #"{"configurationId": "more", "kind": "Board", "strategy": "hourly"}"#)
            let isLower = await eventually { lines(pipeline).contains { $0.message.hasPrefix("log level changed") } }
            #expect(isLower, "\(pipeline.errorOutput)")
            pipeline.signal(SIGUSR1)
            pipeline.terminate()
            #expect(await pipeline.result().succeeded)
            // Its last commit is a line of trace.
            let isTraced = lines(pipeline).contains { $0.logger == "runtime" && $0.level == "trace" }
            #expect(isTraced, "\(pipeline.errorOutput)")
        }
    }
}
