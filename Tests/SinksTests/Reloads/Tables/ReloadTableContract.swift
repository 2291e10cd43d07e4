import Foundation
import RecordLog
import Simulation
import Sinks
import TestSupport
import Testing

/// What every table of reloads promises. Each check wants a database of its own, that is empty.
struct ReloadTableContract {
    static let topic = "timeline.reloads"
    private static let deadLetters = "tideline.dead-letters"
    static let noon = Instant(rfc3339: "2026-11-20T12:00:00Z") ?? Instant(milliseconds: 0)

    /// Makes the sink anew over what the tables hold. The sink before it is gone by then.
    var reopen: (ReloadRetention) throws -> any TimelineSink
    /// The first value that a query gives.
    var text: (String) throws -> String?
    /// A query's expression for an instant in RFC 3339.
    var instant: (String) -> String

    static func retention(_ age: Duration? = .seconds(31 * 86_400), now: Instant = noon) -> ReloadRetention {
        ReloadRetention(age: age, now: { now })
    }

    static func json(
        _ recipient: String = "phone-7", _ ids: [String] = ["van-12"], reason: String = "statusChanged",
        revision: Int = 31, minute: Int = 0
    ) -> String {
        let time = "2026-11-20T06:\(minute < 10 ? "0" : "")\(minute):02.250Z"
        let list = ids.map { #""\#($0)""# }.joined(separator: ",")
        return #"{"recipient":"\#(recipient)","kind":"Tracker","configurationIds":[\#(list)],"reason":"\#(reason)","#
            + #""revision":\#(revision),"issuedAt":"\#(time)","budget":{"limit":48,"remaining":6,"#
            + #""resetsAt":"2026-11-20T11:40:12Z"}}"#
    }

    static func record(_ json: String, offset: Int64) -> SinkRecord {
        SinkRecord(
            configurationId: "phone-7", value: Array(json.utf8), origin: TopicPartition(topic, 0),
            offset: Offset(offset))
    }

    private func cluster(_ values: [String?]) -> MemoryCluster {
        let cluster = MemoryCluster()
        cluster.createTopic(Self.topic, partitions: 1)
        cluster.createTopic(Self.deadLetters, partitions: 1)
        for value in values { cluster.append(Self.topic, 0, key: "phone-7", value: value) }
        return cluster
    }

    @discardableResult
    private func run(
        _ cluster: MemoryCluster, _ retention: ReloadRetention = retention(), batch: Int = 100,
        notice: @escaping (SinkNotice) -> Void = { _ in }
    ) throws -> SinkSummary {
        var settings = SinkSettings(topic: Self.topic, of: .reloads)
        settings.reading.untilCaughtUp = true
        settings.reading.batchMaximum = batch
        settings.deadLettersTopic = Self.deadLetters
        return try SinkRunner(
            cluster: cluster, sink: try reopen(retention), settings: settings, clock: SteppingClock(), notice: notice
        ).run()
    }

    private var count: String? { get throws { try text("SELECT count(*) FROM reloads") } }

    /// Each record is a row, whatever its key, and a row has each documented field.
    func writesEach() throws {
        let values = (0..<5).map { Self.json(revision: $0 + 1, minute: $0) }
        let cluster = cluster(values + [Self.json("ana", ["b", "a", "b"], reason: "later", minute: 9)])
        let summary = try run(cluster)
        #expect(summary.records == 6 && summary.written == 6 && summary.superseded == 0)
        #expect(try count == "6")
        let row = """
            SELECT value FROM reloads WHERE recipient = 'phone-7' AND kind = 'Tracker' AND reason = 'statusChanged'
            AND revision = 3 AND issued_at = \(instant("2026-11-20T06:02:02.250Z")) AND budget_limit = 48
            AND budget_remaining = 6 AND budget_resets_at = \(instant("2026-11-20T11:40:12Z"))
            AND source_partition = 0 AND source_offset = 2
            """
        #expect(try text(row) == values[2])
        #expect(try text("SELECT reason FROM reloads WHERE recipient = 'ana'") == "later")
        let ids = try text("SELECT configuration_ids FROM reloads WHERE recipient = 'ana'")
        #expect(ids?.replacing(" ", with: "") == #"["b","a","b"]"#)
        let named = "SELECT count(*) FROM reload_configurations"
        #expect(try text(named) == "7" && text(named + " WHERE configuration_id = 'b'") == "1")
    }

    /// What was written is not written again: by a further run, or when the positions are gone.
    func redelivered() throws {
        let cluster = cluster((0..<5).map { Self.json(revision: $0 + 1, minute: $0) })
        try run(cluster, batch: 2)
        #expect(try run(cluster).records == 0)
        cluster.append(Self.topic, 0, key: "phone-7", value: Self.json(revision: 6, minute: 6))
        #expect(try run(cluster).written == 1)
        do {
            let sink = try reopen(Self.retention())
            try sink.keep([:], of: Self.topic)
        }
        let again = try run(cluster)
        #expect(again.records == 6 && again.unchanged == 6 && again.written == 0)
        #expect(try count == "6")
    }

    /// What is no reload is a dead letter as it was, and all others of its batch are written.
    func leavesOut() throws {
        let good = Self.json()
        let bad: [(String?, String)] = [
            (nil, "it is missing"), ("{", "not valid JSON"), ("[]", "not a JSON object"),
            (good.replacing(#""issuedAt":"2026"#, with: #""issuedAt":"x"#), "issuedAt: must be"),
            (good.replacing(#""revision":31,"#, with: ""), "revision: is missing"),
            (good.replacing(#"["van-12"]"#, with: "[]"), "configurationIds: must be"),
            (good.replacing(#""remaining":6,"#, with: ""), "budget.remaining: is missing"),
            ("\u{0}" + good, "is framed"),
        ]
        var values: [String?] = [Self.json(minute: 1)]
        for (value, _) in bad { values += [value, Self.json(minute: values.count)] }
        let cluster = cluster(values)
        cluster.append(Self.topic, 0, key: [0xff], value: Array(good.utf8))
        var told: [String] = []
        let summary = try run(cluster) { told.append("\($0)") }
        #expect(summary.written == bad.count + 1 && summary.unusable == bad.count + 1)
        #expect(try count == "\(bad.count + 1)")
        // Keys are looked at first.
        #expect(told.first?.contains("the key is not the text of a recipient") == true, "\(told)")
        for (line, (_, words)) in zip(told.dropFirst(), bad) { #expect(line.contains(words), "\(line)") }
        let letters = cluster.records(Self.deadLetters)
        #expect(letters.map(\.value) == [Array(good.utf8)] + bad.map { $0.0.map { Array($0.utf8) } })
        #expect(letters.first?.key == [0xff])
        #expect(try run(cluster).records == 0)
    }

    /// What was not committed with its positions is not there.
    func killedBeforeCommit() throws {
        do {
            let sink = try reopen(Self.retention())
            _ = try sink.write(Self.record(Self.json(revision: 1), offset: 0))
            try sink.keep([0: SinkPosition(next: Offset(1))], of: Self.topic)
            _ = try sink.write(Self.record(Self.json(revision: 2, minute: 1), offset: 1))
            try sink.flush()
        }
        let sink = try reopen(Self.retention())
        #expect(try sink.positions(of: Self.topic) == [0: SinkPosition(next: Offset(1))])
        #expect(try count == "1")
        #expect(try text("SELECT count(*) FROM reload_configurations") == "1")
        #expect(try sink.write(Self.record(Self.json(revision: 2, minute: 1), offset: 1)) == .written)
        try sink.keep([0: SinkPosition(next: Offset(2))], of: Self.topic)
        #expect(try count == "2")
    }

    /// A topic that was made again begins anew, and the rows of the former one stay, but for one of the same instant.
    func recreated() throws {
        try run(cluster((0..<3).map { Self.json(revision: $0 + 1, minute: $0) }))
        let later = cluster([Self.json("ana", ["x"], minute: 0)] + (1..<5).map { Self.json(minute: $0 + 10) })
        let summary = try run(later)
        #expect(summary.startedOver == 1 && summary.written == 5)
        #expect(try count == "7")
        #expect(try text("SELECT count(*) FROM reload_configurations") == "7")
        #expect(try text("SELECT count(*) FROM reloads WHERE source_offset = 1") == "2")
        #expect(try text("SELECT configuration_id FROM reload_configurations WHERE source_offset = 0") == "x")
        #expect(try run(later).records == 0)
    }

    /// Rows go when they are old, those of configurations with them; what is old already is not written.
    func retains() throws {
        let cluster = cluster((0..<10).map { Self.json(minute: $0) })
        let (hour, old) = (Duration.seconds(3600), Instant(rfc3339: "2026-11-20T06:10:00Z") ?? Self.noon)
        try run(cluster, Self.retention(hour, now: old))
        #expect(try count == "10")
        cluster.append(Self.topic, 0, key: "phone-7", value: Self.json(minute: 3))
        let later = Instant(rfc3339: "2026-11-20T07:05:00Z") ?? Self.noon
        let summary = try run(cluster, Self.retention(hour, now: later))
        #expect(summary.unchanged == 1 && summary.unusable == 0)
        #expect(try count == "5")
        #expect(try text("SELECT count(*) FROM reload_configurations") == "5")
        let first = "SELECT count(*) FROM reloads WHERE issued_at < \(instant("2026-11-20T06:05:00Z"))"
        #expect(try text(first) == "0")
        cluster.append(Self.topic, 0, key: "phone-7", value: Self.json(minute: 1))
        #expect(try run(cluster, Self.retention(nil)).written == 1)
        #expect(try count == "6")
    }

    /// The queries of Documentation/Consuming.md give what the page says.
    ///
    /// - Parameter word: tells the queries of this database from those of others.
    func answersThePage(_ word: String) throws {
        let old = Self.json("ana", ["van-12"], minute: 1)
        let new = Self.json("ana", ["van-12", "x"], reason: "requested").replacing(
            "2026-11-20T06:00:02.250Z", with: Date().addingTimeInterval(-60).formatted(.iso8601))
        try run(cluster([old, new.replacing("ana", with: "bob"), new, Self.json("ana", ["y"])]), Self.retention(nil))
        let page = try String(
            contentsOf: PackageRoot.url.appending(path: "Documentation/Consuming.md"), encoding: .utf8)
        let queries = page.components(separatedBy: "```sql\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        let hour = try #require(queries.first { $0.contains("FROM reloads\nWHERE recipient") && $0.contains(word) })
        #expect(try text("SELECT count(*) || min(reason) FROM (\(hour)) AS x") == "1requested")
        let newest = try #require(queries.first { $0.contains("FROM reload_configurations") })
        #expect(try text("SELECT count(*) FROM (\(newest)) AS x") == "3")
        #expect(try text("SELECT reason FROM (\(newest)) AS x") == "requested")
    }

    /// The queries that the indexes are there for.
    var queries: [(sql: String, index: String)] {
        let since = instant("2026-11-20T06:01:00Z")
        return [
            (
                "SELECT value FROM reloads WHERE recipient = 'ana' AND issued_at >= \(since) ORDER BY issued_at DESC",
                "reloads_recipient"
            ),
            ("SELECT value FROM reloads WHERE issued_at >= \(since) ORDER BY issued_at", "reloads_issued_at"),
            (
                """
                SELECT value FROM reload_configurations AS c
                JOIN reloads AS r USING (source_partition, source_offset, issued_at)
                WHERE configuration_id = 'van-12' ORDER BY c.issued_at DESC LIMIT 10
                """, ""
            ),
        ]
    }
}
