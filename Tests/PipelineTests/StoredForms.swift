import Foundation
import RecordLog
import Simulation
import StreamRuntime
import TestSupport

/// The internal topics of a small pipeline as one format writes them: the newest changelog record of each key, and all
/// of the exchange. They are kept as files for as long as the format is read (R18).
///
/// A line is the topic (`state` or `exchange`), the partition, the offset, and key and value in Base64, `-` for none.
struct StoredForms {
    struct Stored: Hashable {
        var topic: String
        var partition: Partition
        var offset: Offset
        var key: [UInt8]?
        var value: [UInt8]?
    }

    var records: [Stored]

    var changelog: [Stored] { records.filter { $0.topic == "state" } }
    var exchange: [Stored] { records.filter { $0.topic == "exchange" } }

    /// Set to a format's number, it lets the test of that format write the file anew.
    static let written = ProcessInfo.processInfo.environment["TIDELINE_TEST_WRITE_FORMS"].flatMap { Int($0) }

    static func url(_ format: Int) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "StoredForms/format-\(format).txt")
    }

    /// - Throws: if the file of the format is missing or has a line that is none.
    init(format: Int) throws {
        let text = try String(contentsOf: Self.url(format), encoding: .utf8)
        records = try text.split(separator: "\n").map { line in
            let parts = line.split(separator: " ")
            guard parts.count == 5, let partition = Int32(parts[1]), let offset = Int64(parts[2]) else {
                throw FixtureFailure("no stored form: \(line)")
            }
            return Stored(
                topic: String(parts[0]), partition: Partition(partition), offset: Offset(offset),
                key: try Self.bytes(parts[3]), value: try Self.bytes(parts[4]))
        }
    }

    /// What a pipeline in memory has written.
    init(of pipeline: PipelineFixture) throws {
        guard let memory = pipeline.memory?.memory else { throw FixtureFailure("only a cluster in memory shows all") }
        let settings = pipeline.plan.settings
        var newest: [[UInt8]: [Partition: Record]] = [:]
        for record in memory.records(settings.stateTopic) {
            newest[record.key ?? [], default: [:]][record.partition] = record
        }
        let changelog = newest.values.flatMap(\.values).filter { $0.value != nil }
            .sorted { ($0.partition, $0.offset) < ($1.partition, $1.offset) }
        records = (changelog + memory.records(settings.exchangeTopic)).map { record in
            Stored(
                topic: record.topic == settings.stateTopic ? "state" : "exchange", partition: record.partition,
                offset: record.offset, key: record.key, value: record.value)
        }
    }

    func write(format: Int) throws {
        let lines = records.map { record in
            "\(record.topic) \(record.partition) \(record.offset) \(Self.text(record.key)) \(Self.text(record.value))"
        }
        try FileManager.default.createDirectory(
            at: Self.url(format).deletingLastPathComponent(), withIntermediateDirectories: true)
        try (lines.joined(separator: "\n") + "\n").write(to: Self.url(format), atomically: true, encoding: .utf8)
    }

    /// Puts them where a pipeline expects them. What is not kept, such as markers, is a record without key and value.
    func fill(_ memory: MemoryCluster, _ plan: ThreadPlan) {
        for partition in 0..<Partition(plan.layout.partitions) {
            for (forms, topic) in [(changelog, plan.settings.stateTopic), (exchange, plan.settings.exchangeTopic)] {
                var next: Offset = 0
                func append(_ key: [UInt8]?, _ value: [UInt8]?) {
                    next = memory.append(topic, partition, key: key, value: value).next
                }
                for form in forms where form.partition == partition {
                    while next < form.offset { append(nil, nil) }
                    append(form.key, form.value)
                }
                // The marker of the last transaction, and those of transactions that wrote nothing here.
                for _ in 0..<3 { append(nil, nil) }
            }
        }
    }

    private static func bytes(_ text: Substring) throws -> [UInt8]? {
        if text == "-" { return nil }
        if text == "empty" { return [] }
        guard let data = Data(base64Encoded: String(text)) else { throw FixtureFailure("no Base64: \(text)") }
        return [UInt8](data)
    }

    private static func text(_ bytes: [UInt8]?) -> String {
        guard let bytes else { return "-" }
        return bytes.isEmpty ? "empty" : Data(bytes).base64EncodedString()
    }
}
