import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// State, topics and settings that are not what the program takes them for (R18), on a real broker.
    @Suite(.needsKafkaTools) struct StateRefusalTests {
        private static let clock = "2026-11-20T06:25:00Z"

        private static let topicTool = "org.apache.kafka.tools.TopicCommand"

        /// Deletes topics; the broker needs a moment until they can be made anew.
        private static func delete(_ application: Application, _ topics: String...) async throws {
            for topic in topics { try await application.tool(topicTool, "--delete", "--topic", topic) }
        }

        private static func configurations(_ ids: Range<Int>) -> String {
            ids.map { #"{"configurationId": "c\#($0)", "kind": "K", "strategy": {"name": "fixedInterval"}}"# + "\n" }
                .joined()
        }

        private static func refused(_ application: Application, _ words: [String] = []) async throws -> String {
            let result = try await tideline(
                ["process", "--until-caught-up", "--clock", clock] + words + application.options,
                timeout: .seconds(120))
            #expect(result.status == 70, "\(result.failure)")
            return result.standardError
        }

        @Test("R18: state that was deleted is refused by name, and read anew with state.lost=replay")
        func lostState() async throws {
            let application = try await Application("lost")
            try await application.publish(configurations: Self.configurations(0..<20))
            #expect(try await application.process(clock: Self.clock).timelines == 20)
            try await Self.delete(application, "\(application.name).state")
            let text = try await Self.refused(application)
            #expect(text.contains("\(application.name).state[") && text.contains("is empty, but the group has read"))
            #expect(text.contains("--set state.lost=replay"))
            let result = try await application.run(
                "process", "--until-caught-up", "--clock", Self.clock, "--set", "state.lost=replay")
            #expect(try Summary(result).records == 20)
            #expect(try await application.process(clock: Self.clock).records == 0, "and then as ever")
            show("ID.state deleted: status 70 by name; with state.lost=replay 20 of 20 records are read anew")
        }

        @Test(
            "R18: a topic that was deleted and made again while nobody ran is read from its beginning, and that is said"
        )
        func recreatedTopic() async throws {
            let application = try await Application("again")
            try await application.publish(configurations: Self.configurations(0..<47))
            #expect(try await application.process(clock: Self.clock).timelines == 47)
            let topic = application.topic("widget.configurations")
            try await Self.delete(application, topic)
            let isMade = try await eventually(within: .seconds(60), every: .milliseconds(500)) {
                try await tideline(["topics", "--partitions", "4"] + application.options).succeeded
            }
            try #require(isMade)
            try await application.publish(configurations: Self.configurations(100..<300))
            let result = try await application.run("process", "--until-caught-up", "--clock", Self.clock)
            #expect(try Summary(result).records == 200 && Summary(result).timelines == 200)
            #expect(result.standardError.contains("it is another topic of its name"), "\(result.standardError)")
            #expect(result.standardError.contains(topic))
            show("widget.configurations deleted and made again: 200 of 200 records are read, which is said")
        }

        @Test("R18: internal topics of other settings, and of another P, are refused with what is to be done")
        func otherTopics() async throws {
            let application = try await Application("grown", partitions: 2)
            try await application.publish(configurations: Self.configurations(0..<5))
            #expect(try await application.process(clock: Self.clock).timelines == 5)
            let (exchange, state) = ("\(application.name).exchange", "\(application.name).state")
            func grow(_ topic: String) async throws {
                try await application.tool(
                    Self.topicTool, "--alter", "--topic", topic, "--partitions", "4")
            }
            try await grow(exchange)
            let alone = try await Self.refused(application)
            #expect(alone.contains("\(state) has 2 partitions, but \(exchange) has 4"), "\(alone)")
            try await grow(state)
            let both = try await Self.refused(application)
            #expect(both.contains("\(state) has 4 partitions, and its state was made with 2"), "\(both)")
            #expect(both.contains("tideline repartition 4 --execute"))
            show("exchange grown alone, exchange and state grown: status 70 by name")
        }

        @Test(
            "R7: an internal topic whose setting was changed is refused by topic and setting until it is as it must be",
            arguments: [
                ("exchange", "cleanup.policy", "compact", "delete"), ("exchange", "retention.bytes", "1000000", "-1"),
                ("state", "cleanup.policy", "delete", "compact"),
            ])
        func changedSetting(topic: String, setting: String, changed: String, right: String) async throws {
            let application = try await Application("setting")
            try await application.publish(configurations: Self.configurations(0..<5))
            #expect(try await application.process(clock: Self.clock).timelines == 5)
            let name = "\(application.name).\(topic)"
            func set(_ value: String) async throws {
                try await application.set(setting, to: value, of: name)
            }
            try await set(changed)
            let text = try await Self.refused(application)
            #expect(text.contains("\(name) has \(setting) \(changed), must be \(right)"), "\(text)")
            let remedy = "'tideline topics --apply' sets what \(name) must have; then start again"
            #expect(text.contains(remedy), "\(text)")
            try await set(right)
            #expect(try await application.process(clock: Self.clock).records == 0, "nothing was lost, and it runs")
            show("\(setting) of \(name) changed to \(changed): status 70 by name, and set back it runs")
        }

        @Test("R18: another application on the same outputs, and other settings of content, are refused until accepted")
        func otherWriter() async throws {
            let application = try await Application("writer")
            try await application.publish(configurations: Self.configurations(0..<5))
            #expect(try await application.process(clock: Self.clock).timelines == 5)
            let changed = try await Self.refused(application, ["--set", "reload.limit=30"])
            #expect(changed.contains("was made with another reload.limit:"), "\(changed)")
            #expect(changed.contains("--set settings.changed=accept"))
            let words = ["--set", "reload.limit=30", "--set", "settings.changed=accept"]
            let accepted = try await tideline(
                ["process", "--until-caught-up", "--clock", Self.clock] + words + application.options)
            #expect(accepted.succeeded, "\(accepted.failure)")
            let back = try await Self.refused(application)
            #expect(back.contains("reload.limit"))

            let other = uniqueName("other")
            let options =
                ["process", "--until-caught-up", "--clock", Self.clock, "--bootstrap", application.bootstrap]
                + ["--application", other, "--topic-prefix", application.prefix]
            let second = try await tideline(options)
            #expect(second.status == 70, "\(second.failure)")
            #expect(second.standardError.contains("is written by /\(application.name), too"), "\(second.failure)")
            #expect(try await tideline(options + ["--set", "settings.changed=accept"]).succeeded)
            #expect(try await tideline(options).succeeded, "who was accepted once is known")
            show("other settings and another application on the same outputs: status 70 by name, accepted once for all")
        }
    }
}
