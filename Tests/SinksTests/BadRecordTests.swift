import Foundation
import RecordLog
import Redis
import Simulation
import Sinks
import TestSupport
import Testing
import Timelines

@Suite("What a sink says of a record that it cannot write")
struct BadRecordTests {
    private typealias Contract = TimelineSinkContract

    private let cluster = MemoryCluster()

    init() {
        cluster.createTopic("timelines", partitions: 1)
        cluster.createTopic("letters", partitions: 1)
    }

    /// The texts of the dead letters of these values, between two timelines that are written.
    private func letters(of values: [String], _ sink: any TimelineSink) throws -> [String] {
        cluster.append("timelines", 0, key: "before", value: Contract.timeline("before", revision: 1))
        for (number, value) in values.enumerated() {
            cluster.append("timelines", 0, key: "bad-\(number)", value: value)
        }
        cluster.append("timelines", 0, key: "behind", value: Contract.timeline("behind", revision: 1))
        var settings = SinkSettings(topic: "timelines")
        settings.reading.untilCaughtUp = true
        settings.deadLettersTopic = "letters"
        let summary = try SinkRunner(
            cluster: cluster, sink: sink, settings: settings, clock: SteppingClock()
        ).run()
        #expect(summary.written == 2 && summary.unusable == values.count)
        return cluster.records("letters").map { $0.header("__streams.errors.message") ?? "" }
    }

    /// Values that are timelines for no sink, and how their texts begin.
    private static let bad = [
        ("{", "configuration bad-0: the value is not a timeline"),
        (#"{"revision":"x"}"#, "configuration bad-1, field revision: the value is not a timeline: this must be"),
        (#"{"entries":[]}"#, "configuration bad-2, field revision: the value is not a timeline: this must be"),
        (
            #"{"revision":1,"refreshCount":"x","entries":[]}"#,
            "configuration bad-3, field refreshCount: the value is not a timeline: this must be"
        ),
    ]

    private func check(_ sink: any TimelineSink, more: [(String, String)] = []) throws {
        let all = Self.bad + more
        let letters = try letters(of: all.map(\.0), sink)
        #expect(letters.count == all.count)
        for (letter, (_, begin)) in zip(letters, all) { #expect(letter.hasPrefix(begin)) }
    }

    @Test("files, and calendars")
    func files() throws {
        let directory = try TemporaryDirectory()
        try check(FilesSink(directory: directory.path))
    }

    @Test("calendars, of an event that cannot be read and of a recipient who is missing, too")
    func calendars() throws {
        let directory = try TemporaryDirectory()
        let timeline = Contract.timeline("x", revision: 1)
        try check(
            FilesSink(directory: directory.path, form: .calendar(.init()), layout: .byRecipient),
            more: [
                (
                    timeline.replacing(#""phase":"tick""#, with: #""phase":"tick","event":{"title":"a"}"#),
                    "configuration bad-4, field entries[0].event."
                ),
                (
                    timeline.replacing(#""recipient":"r","#, with: ""),
                    "configuration bad-5, field recipient: is missing"
                ),
            ])
    }

    @Test("standard output")
    func lines() throws {
        let directory = try TemporaryDirectory()
        let descriptor = open(directory.path + "/lines", O_CREAT | O_WRONLY, 0o600)
        defer { close(descriptor) }
        try #require(descriptor >= 0)
        try check(LinesSink(descriptor: descriptor))
    }

    @Test("SQLite, of entries that are none, too")
    func sqlite() throws {
        let directory = try TemporaryDirectory()
        try check(
            SQLiteSink(file: directory.path + "/t.db"),
            more: [
                (#"{"revision":1}"#, "configuration bad-4, field entries: the value is not a timeline: this must be"),
                (#"{"revision":1,"entries":[{},7]}"#, "configuration bad-5, field entries[1]: the value is not a"),
            ])
    }

    @Test("PostgreSQL, of entries that are none and of what it refuses itself, too")
    func postgres() async throws {
        try await check(
            PostgresStage().sink(),
            more: [
                (#"{"revision":1}"#, "configuration bad-4, field entries: the value is not a timeline: this must be"),
                (
                    #"{"revision":1,"entries":[],"kind":"a\u0000b"}"#,
                    "configuration bad-5, field kind: PostgreSQL refuses it: "
                ),
            ])
    }

    @Test("Redis")
    func redis() throws {
        let redis = try RedisProcess()
        defer { redis.kill() }
        try check(redis.sink())
    }

    @Test("a topic of another cluster")
    func kafka() throws {
        let target = MemoryCluster()
        target.createTopic("mirror", partitions: 1, settings: [.init("cleanup.policy", "compact")])
        try check(
            KafkaSink(
                cluster: target, source: MemoryCluster(),
                KafkaSinkSettings(topic: "mirror", place: "there", source: "timelines"), instance: "one",
                clock: SteppingClock()))
    }

    @Test("HTTP")
    func http() throws {
        let stage = TimelineStage()
        for (number, (value, _)) in Self.bad.prefix(3).enumerated() { stage.append("bad-\(number)", value: value) }
        try stage.run()
        #expect(stage.deadLetters.count == 3)
        for (letter, begin) in zip(
            stage.deadLetters,
            ["configuration bad-0: ", "configuration bad-1, field revision: ", "configuration bad-2, field revision: "])
        {
            #expect(letter.hasPrefix(begin))
        }
    }

    @Test("a webhook of reloads")
    func webhook() async throws {
        let stage = ReloadStage()
        stage.reload("phone-7", ["a"])
        stage.service.respond = { _ in .status(422) }
        _ = try stage.post()
        #expect(
            stage.deadLetters.map { $0.header("__streams.errors.message") }
                == ["reload of recipient phone-7: The webhook refused it with status 422."])
    }
}
