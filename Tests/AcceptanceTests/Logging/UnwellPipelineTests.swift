import Foundation
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    /// What a process says of itself while it cannot commit, and while its restore stands still.
    @Suite struct UnwellPipelineTests {
        private static let tool = "org.apache.kafka.tools.AclCommand"

        /// Waits until a part of /health/ready has these words.
        private func expectUnwell(
            _ address: String, part: String, _ words: String, sourceLocation: SourceLocation = #_sourceLocation
        ) async throws -> (health: String, metrics: [String: Double]) {
            let began = ContinuousClock.now
            var last = ""
            let isSeen = try await eventually {
                last = try await RunbookAlerts.get("/health/ready", at: address)
                guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(last.utf8)) else { return false }
                return answer.problems?.contains { $0.part == part && $0.reason.contains(words) } == true
            }
            let metrics = try await RunbookAlerts.scrape(address).samples
            let ready = metrics[#"tideline_health{check="ready"}"#]
            #expect(isSeen && ready == 0, "\(last) \(metrics)", sourceLocation: sourceLocation)
            show("\(part): seen after \(ContinuousClock.now - began): \(last)")
            return (last, metrics)
        }

        private struct Answer: Decodable {
            var problems: [Problem]?

            struct Problem: Decodable {
                var part: String
                var reason: String
            }
        }

        @Test(
            "a transactional id that is refused is told as what hinders commits, and a permission in time ends nothing",
            .needsKafkaTools)
        func refusedId() async throws {
            let broker = try await TestBroker.dedicated(properties: [
                "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                "allow.everyone.if.no.acl.found": "true",
            ])
            let application = try await Application("refusedid", partitions: 1, on: broker)
            func allow(_ who: String) async throws {
                let resource = ["--transactional-id", application.name, "--resource-pattern-type", "prefixed"]
                try await application.tool(
                    Self.tool,
                    ["--add", "--allow-principal", "User:\(who)", "--operation", "Write", "--operation", "Describe"]
                        + resource)
            }
            let process = try application.start("process", "--metrics", "127.0.0.1:0")
            defer { process.kill() }
            let address = try await Monitored.address(of: process)
            try await Monitored.wait(for: "/health/ready", at: address, 200)
            // Whoever a resource's first permission does not name may do nothing with it from then on.
            try await allow("somebody")
            try await application.publish(configurations: Self.configuration)
            let seen = try await expectUnwell(address, part: "commits", "is refused by brokers")
            #expect(seen.health.contains("authorization failed"), "\(seen.health)")
            #expect((seen.metrics["tideline_transactions_refused_total"] ?? 0) >= 1, "\(seen.metrics)")
            // Refused for half a minute it would end, and the tool may take long.
            process.signal(SIGSTOP)
            try await allow("ANONYMOUS")
            process.signal(SIGCONT)
            try await Monitored.wait(for: "/health/ready", at: address, 200)
            let isThere = try await eventually { try await application.records(of: "timelines").count == 1 }
            #expect(isThere, "\(process.errorOutput)")
            process.terminate()
            #expect(await process.result().succeeded)
            try await broker.stop()
        }

        @Test(
            "an output that is gone keeps a thread from committing, which is told with the last failure",
            .needsKafkaTools)
        func outputGone() async throws {
            let application = try await Application("uncommitted", partitions: 1)
            let process = try application.start("process", "--metrics", "127.0.0.1:0")
            defer { process.kill() }
            let address = try await Monitored.address(of: process)
            try await Monitored.wait(for: "/health/ready", at: address, 200)
            try await application.deleteTopic("timelines")
            try await application.publish(configurations: Self.configuration)
            // The first failure is that of a flush, which has the time of a transaction: it may come a little after the
            // twelve seconds without progress.
            let seen = try await expectUnwell(address, part: "commits", "; last failure: ")
            #expect(seen.health.contains("has made no progress for "), "\(seen.health)")
            #expect((seen.metrics["tideline_stream_progress_age_seconds"] ?? 0) > 12, "\(seen.metrics)")
            try await application.run("topics")
            try await Monitored.wait(for: "/health/ready", at: address, 200)
            process.terminate()
            #expect(await process.result().succeeded)
        }

        @Test("a restore that stands still is told with how far it has come and for how long, and goes on by itself")
        func standingRestore() async throws {
            let broker = try await TestBroker.dedicated()
            guard let identifier = ResourceWorld.process(of: broker) else {
                return show("not tested: the broker here is no process that can be stopped")
            }
            let application = try await Application("standing", partitions: 1, on: broker)
            let count = 6_000
            let filling = String(repeating: "x", count: 2_000)
            try await application.produce(
                (0..<count).map {
                    let json = #"{"configurationId":"c\#($0)","kind":"K","strategy":{"name":"hourly"},"#
                    return ("c\($0)", Array((json + #""parameters":{"f":"\#(filling)"}}"#).utf8), [])
                }, to: "widget.configurations")
            _ = try await application.process(clock: "2026-11-20T06:30:00Z")
            // Little is read ahead, so that the restore needs the broker to its end; and the group keeps its member.
            let process = try application.start(
                "process", "--clock", "2026-11-20T06:31:00Z", "--metrics", "127.0.0.1:0", "--set",
                "kafka.queued.max.messages.kbytes=64", "--set", "kafka.fetch.message.max.bytes=65536",
                "--set", "session.timeout=PT40S", timeout: .seconds(400))
            defer { process.kill() }
            let address = try await Monitored.address(of: process)
            defer { kill(identifier, SIGCONT) }
            // The broker goes on for a moment at a time, and health is asked while it stands: nothing is restored
            // between the look and the stop.
            let isRestoring = try await eventually(within: .seconds(150), every: .zero) {
                kill(identifier, SIGCONT)
                try await Task.sleep(for: .milliseconds(20))
                kill(identifier, SIGSTOP)
                return try await RunbookAlerts.get("/health/ready", at: address).contains(" is restored up to ")
            }
            try #require(isRestoring, "\(process.errorOutput)")
            let seen = try await expectUnwell(address, part: "restore", ", which has stood still for ")
            #expect((seen.metrics["tideline_restore_remaining_records"] ?? 0) > 0, "\(seen.metrics)")
            kill(identifier, SIGCONT)
            try await Monitored.wait(for: "/health/ready", at: address, 200)
            process.terminate()
            #expect(await process.result().succeeded)
            try await broker.stop()
        }

        private static let configuration = #"{"configurationId": "a", "kind": "Board", "strategy": "hourly"}"#
    }
}
