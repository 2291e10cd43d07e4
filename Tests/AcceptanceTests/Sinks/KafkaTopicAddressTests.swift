import Messages
import Settings
import Sinks
import Testing

@testable import tideline

/// What the sink of another cluster knows of its client's properties. No broker.
@Suite struct KafkaTopicAddressTests {
    @Test(
        "a broker judges records by their size alone where nothing is compressed and large ones go alone",
        arguments: [
            (["batch.size": "16384"], true), (["batch.size": "16384", "compression.type": "none"], true),
            (["batch.size": "16384", "compression.type": "zstd"], false),
            (["batch.size": "16384", "compression.codec": "lz4"], false), (["batch.size": "1000000"], false),
        ] as [([String: String], Bool)])
    func judgedBySize(properties: [String: String], isJudged: Bool) {
        #expect(KafkaTopicAddress.isJudgedBySize(properties) == isJudged)
    }

    @Test("the sink knows all topics of the application by their names, and what the names of its own begin with")
    func applicationTopics() throws {
        let flags = [("application", "board"), ("topic.prefix", "eu."), ("topics.widget.configurations", "widgets")]
            .map { SettingsSources.Flag(key: $0.0, text: $0.1, flag: "--set") }
        let settings = try Keys.schema.resolve(SettingsSources(flags: flags))
        let sink = try KafkaTopicAddress("boards@other:9092").settings(TopicNames(settings), settings)
        let names = [
            "vehicle.telemetry", "calendar.events", "widgets", "timeline.positions", "timelines", "timeline.reloads",
            "timeline.positions.merged", "tideline.dead-letters",
        ]
        #expect(sink.applicationTopics == names.map { "eu.\($0)" })
        #expect(sink.applicationPrefix == "board." && sink.source == "eu.timelines")
    }
}
