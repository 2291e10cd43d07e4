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
}
