import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    @Suite struct RedisSinkTests {
        @Test("a Redis that comes back empty is filled again by the sink that runs")
        func emptied() async throws {
            var data = GeneratedData(steps: 2)
            let application = try await Application("emptied")
            try await data.publish(to: application)
            _ = try await application.process(clock: GeneratedData.clock)
            let redis = try RedisProcess()
            let sink = try application.start("sink", "--to", redis.address)
            let isFull = try await eventually { try redis.cli("DBSIZE") > "1" && keys(redis).count == 220 }
            #expect(isFull, "\(sink.errorOutput)")
            redis.kill()
            try redis.start()
            let isFullAgain = try await eventually { try keys(redis).count == 220 }
            sink.terminate()
            let result = await sink.result()
            #expect(isFullAgain && result.succeeded, "\(result.failure)")
            #expect(result.standardError.contains("its positions are others than it has acknowledged"))
            try await expectAll(in: redis, of: application)
            try await expectBoard(of: redis)
        }

        @Test("a Redis that is away, at the start or while nothing is to be written, is told until it is back")
        func unwell() async throws {
            let application = try await Application("unwell", partitions: 1)
            let value =
                #"{"configurationId":"a","kind":"Bus","family":"systemSmall","recipient":"r","revision":1,"#
                + #""generatedAt":"2026-01-01T00:00:00Z","refreshCount":1,"policy":{"type":"never"},"sources":[],"#
                + #""entries":[{"id":"tick/2026-01-01T00:00:00Z","date":"2026-01-01T00:00:00Z","#
                + #""phase":"tick"}]}"#
            try await application.produce([(key: "a", value: Array(value.utf8), headers: [])], to: "timelines")
            let redis = try RedisProcess()
            redis.kill()
            let sink = try application.start("sink", "--to", redis.address, "--metrics", "127.0.0.1:0")
            defer { sink.kill() }
            let address = try await Monitored.address(of: sink)
            func metrics() async throws -> String { try await Monitored.get("/metrics", at: address).body }
            func expectAway() async throws {
                let isTold = try await eventually(within: .seconds(60)) {
                    try await Monitored.get("/health/ready", at: address).body.contains(#""part":"target""#)
                }
                #expect(isTold, "\(sink.errorOutput)")
                #expect(try await metrics().contains("tideline_sink_target_away{sink=\"redis\"} 1\n"))
            }
            func expectBack() async throws {
                try redis.start()
                try await Monitored.wait(for: "/health/ready", at: address, 200)
                try await Monitored.wait(for: "/health/startup", at: address, 200)
                let isDone = try await eventually(within: .seconds(120)) {
                    let text = try await metrics()
                    let isWell =
                        text.contains("tideline_sink_target_away{sink=\"redis\"} 0\n")
                        && text.contains("tideline_sink_lag_records{sink=\"redis\"} 0\n")
                    return try isWell && keys(redis).count == 1
                }
                #expect(isDone, "\((try? keys(redis)) ?? []) \(sink.errorOutput)")
            }
            try await expectAway()
            // A supervisor that started it anew would bring the target back no sooner.
            try await Monitored.wait(for: "/health/startup", at: address, 200)
            let text = try await metrics()
            #expect(!text.contains("tideline_sink_lag_records{"), "\(text)")
            #expect(text.contains("tideline_sink_outcomes_total{sink=\"redis\",outcome=\"unusable\"} 0\n"), "\(text)")
            try await expectBack()
            redis.kill()
            try await expectAway()
            try await Monitored.wait(for: "/health/startup", at: address, 200)
            try await expectBack()
            sink.terminate()
            #expect(await sink.result().succeeded)
        }

        @Test("the password is taken from the address or REDISCLI_AUTH, and shown nowhere; a wrong one ends with 70")
        func password() async throws {
            let application = try await Application("secrets")
            let redis = try RedisProcess(["--save", "", "--requirepass", "the-secret"])
            let address = "redis://127.0.0.1:\(redis.port)"
            for (target, secret, status) in [
                ("redis://:the-secret@127.0.0.1:\(redis.port)", "", 0), (address, "the-secret", 0),
                (address, "wrong-secret", 70), ("redis://:wrong-secret@127.0.0.1:\(redis.port)", "", 70),
                ("redis://:wrong-secret@127.0.0.1:port", "", 64), ("rediss://:wrong-secret@127.0.0.1", "", 64),
            ] {
                let result = try await tideline(
                    ["sink", "--to", target, "--until-caught-up"] + application.options,
                    environment: secret.isEmpty ? [:] : ["REDISCLI_AUTH": secret])
                #expect(result.status == status, "\(target): \(result.failure)")
                #expect(!(result.standardError + result.standardOutput).contains("-secret"), "\(result.failure)")
            }
        }

        // MARK: - What is there, by redis-cli

        private func keys(_ redis: RedisProcess) throws -> [String] {
            try redis.cli("KEYS", "tideline:timeline:*").split(separator: "\n").map(String.init)
        }

        /// The example shows a line for each of a recipient's configurations.
        private func expectBoard(of redis: RedisProcess) async throws {
            let sets = try redis.cli("KEYS", "tideline:recipient:*").split(separator: "\n")
            let set = String(try #require(sets.first))
            let board = try await ProcessRunner.run(
                URL(filePath: "/usr/bin/python3"),
                [
                    "Examples/consumers/redis_board.py", redis.address,
                    String(set.dropFirst("tideline:recipient:".count)), "--once",
                ])
            let lines = board.standardOutput.split(separator: "\n")
            #expect(board.succeeded, "\(board.failure)")
            #expect(lines.count == Int(try redis.cli("SCARD", set)) && lines.allSatisfy { $0.contains(" revision ") })
        }

        /// The keys hold what files do, to the byte, and each recipient's set has theirs.
        private func expectAll(in redis: RedisProcess, of application: Application) async throws {
            let files = try TimelineFiles.read(try await application.sink())
            let keys = try keys(redis)
            let values = try redis.cli(["MGET"] + keys).split(separator: "\n")
            try #require(keys.count == values.count)
            var found: [String: Data] = [:]
            for (key, value) in zip(keys, values) {
                found["\(key.dropFirst("tideline:timeline:".count)).json"] = Data(value.utf8)
            }
            #expect(found == files && files.count == 220)
            var members = 0
            for key in try redis.cli("KEYS", "tideline:recipient:*").split(separator: "\n") {
                members += Int(try redis.cli("SCARD", String(key))) ?? 0
            }
            #expect(members == 220)
        }
    }
}
