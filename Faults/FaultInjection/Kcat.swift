package import Foundation
import TestSupport

/// kcat, a reader of topics that shares nothing with the program but librdkafka.
package struct Kcat: Sendable {
    package let bootstrap: String
    package var isolation = "read_committed"

    package init(bootstrap: String) { self.bootstrap = bootstrap }

    package struct Record: Sendable {
        package var partition: Int
        package var offset: Int
        package var key: String
        /// Nil of a tombstone.
        package var value: Data?

        package init(partition: Int, offset: Int, key: String, value: Data?) {
            self.partition = partition
            self.offset = offset
            self.key = key
            self.value = value
        }
    }

    /// Reads a topic from its beginning to its end, in the order of each partition. Values are of one line.
    package func read(_ topic: String) throws -> [Record] {
        try print(topic, as: #"%p\t%o\t%S\t%k\t%s\n"#).split(separator: UInt8(ascii: "\n")).map { line in
            let fields = line.split(separator: UInt8(ascii: "\t"), maxSplits: 4, omittingEmptySubsequences: false)
            guard fields.count == 5, let partition = Int(Self.text(fields[0])), let offset = Int(Self.text(fields[1]))
            else { throw ChaosError("kcat printed \(Self.text(line.prefix(200)))") }
            let isTombstone = Self.text(fields[2]) == "-1"
            return Record(
                partition: partition, offset: offset, key: Self.text(fields[3]),
                value: isTombstone ? nil : Data(fields[4]))
        }
    }

    /// Reads the headers of each record, as `name=value,name=value`; they may contain lines.
    package func headers(of topic: String) throws -> [String] {
        try print(topic, as: #"%h\x1e"#).split(separator: 0x1e).map(Self.text)
    }

    private func print(_ topic: String, as format: String) throws -> Data {
        let kcat = try Self.executable()
        let runner = try ProcessRunner(
            kcat,
            [
                "-C", "-b", bootstrap, "-t", topic, "-o", "beginning", "-e", "-q", "-X", "isolation.level=\(isolation)",
                "-f", format,
            ], timeout: .seconds(300))
        let result = runner.waitBlocking()
        defer { try? FileManager.default.removeItem(at: runner.standardError.deletingLastPathComponent()) }
        guard result.succeeded else {
            throw ChaosError("kcat cannot read \(topic): \(result.standardError.suffix(500))")
        }
        return try Data(contentsOf: runner.standardOutput, options: .mappedIfSafe)
    }

    private static func text(_ bytes: Data) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Where kcat is.
    package static func executable() throws -> URL {
        for folder in (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":") {
            let url = URL(filePath: String(folder)).appending(path: "kcat")
            if FileManager.default.isExecutableFile(atPath: url.path) { return url }
        }
        throw ChaosError("no kcat here; Scripts/setup test installs it")
    }
}

extension Kcat {
    /// The id of the broker that leads a partition; nil where nobody says.
    package func leader(of partition: Int, in topic: String) -> Int? {
        guard let kcat = try? Self.executable(),
            let runner = try? ProcessRunner(
                kcat, ["-L", "-b", bootstrap, "-t", topic, "-m", "5"], timeout: .seconds(10))
        else { return nil }
        let result = runner.waitBlocking()
        let lines = result.standardOutput.split(separator: "\n")
        let line = lines.first { $0.contains("partition \(partition), leader ") }
        return line.flatMap { $0.firstMatch(of: #/leader (\d+)/#) }.flatMap { Int($0.1) }
    }
}
