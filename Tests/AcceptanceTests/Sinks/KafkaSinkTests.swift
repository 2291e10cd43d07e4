import FaultInjection
import Foundation
import RdKafka
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    @Suite struct KafkaSinkTests {
        @Test("of two sinks of one topic the newer goes on, the older ends and says so; what cannot work is refused")
        func refused() async throws {
            let application = try await Application("fenced", partitions: 1)
            try await application.publish(configurations: #"{"configurationId":"a","kind":"K"}"# + "\n")
            _ = try await application.process(clock: GeneratedData.clock)
            let broker = try await TestBroker.shared()
            let mirror = uniqueName("mirror")
            try await KafkaTarget.makeTopic(mirror, at: broker.bootstrap)
            let to = "kafka:\(mirror)@\(application.bootstrap)"
            let first = try application.start("sink", "--to", to)
            #expect(
                try await eventually { try await KafkaTarget.end(of: mirror, at: broker.bootstrap) > 0 },
                "\(first.errorOutput)")
            let second = try application.start("sink", "--to", to)
            // The first hears of it when it writes next, once the second has opened the topic.
            var others = 0
            let hasEnded = try await eventually(within: .seconds(60), every: .seconds(1)) {
                others += 1
                try await application.publish(configurations: #"{"configurationId":"b\#(others)","kind":"K"}"# + "\n")
                _ = try await application.process(clock: GeneratedData.clock)
                return !first.isRunning
            }
            #expect(hasEnded, "\(second.errorOutput)")
            let ended = await first.result()
            #expect(ended.status == 70, "\(ended.failure)")
            #expect(ended.standardError.contains("another sink of this topic has started and goes on in its place"))
            let hasWritten = try await eventually {
                try await KafkaTarget.records(of: mirror, at: application.bootstrap).newest.count == 1 + others
            }
            #expect(hasWritten && second.isRunning, "\(second.errorOutput)")
            second.terminate()
            #expect(await second.result().succeeded)

            for (to, status, text) in [
                ("kafka:none-\(mirror)@\(application.bootstrap)", 70, "--create --topic none-\(mirror)"),
                ("kafka:x", 64, "an @ is missing"), ("kafka:a b@h:1", 64, "must name a topic before the @"),
                ("kafka:x@h", 64, "HOST:PORT"),
            ] as [(String, Int32, String)] {
                let words = ["sink", "--to", to, "--until-caught-up"] + application.options
                let result = try await tideline(words)
                #expect(result.status == status && result.standardError.contains(text), "\(to): \(result.failure)")
            }
            let setting = try await tideline(
                ["sink", "--to", to, "--set", "sink.kafka.acsk=1"] + application.options)
            #expect(setting.status == 64 && setting.standardError.contains("sink.kafka.acsk"), "\(setting.failure)")
        }

        @Test("no topic of the application is written to where it is on the cluster that is read, nor any beside it")
        func ownTopics() async throws {
            let application = try await Application("own", partitions: 1)
            try await application.publish(configurations: #"{"configurationId":"a","kind":"K"}"# + "\n")
            _ = try await application.process(clock: GeneratedData.clock)
            let contract = [
                "vehicle.telemetry", "calendar.events", "widget.configurations", "timeline.positions", "timelines",
                "timeline.reloads", "timeline.positions.merged", "tideline.dead-letters",
            ].map { application.topic($0) }
            let own = ["state", "exchange", "sinks"].map { "\(application.name).\($0)" }
            var ends: [Int] = []
            for topic in contract + own.prefix(2) {
                ends.append(try await KafkaTarget.end(of: topic, at: application.bootstrap))
            }
            for topic in contract + own + [application.topic("timeline")] {
                let to = "kafka:\(topic)@\(application.bootstrap)"
                let result = try await tideline(["sink", "--to", to, "--until-caught-up"] + application.options)
                #expect(result.status == 64, "\(to): \(result.failure)")
                let text = "a topic of this application in the same cluster. Name a topic that is for this copy alone"
                #expect(result.standardError.contains(text), "\(to): \(result.failure)")
            }
            var after: [Int] = []
            for topic in contract + own.prefix(2) {
                after.append(try await KafkaTarget.end(of: topic, at: application.bootstrap))
            }
            #expect(after == ends)
        }
    }
}
