import Foundation
import Producers
import RecordLog

/// Files for one test, removed with their owner.
final class Inputs {
    private let path: String

    init() throws {
        path = NSTemporaryDirectory() + "tideline-producers-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// - Returns: the file's path.
    func file(_ name: String, _ text: String) throws -> String {
        try file(name, Array(text.utf8))
    }

    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = "\(path)/\(name)"
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        return file
    }
}

extension Inputs {
    /// A named pipe that stays open until its owner goes.
    func pipe(_ name: String) throws -> NamedPipe {
        try NamedPipe(path: try file(name, ""))
    }

    final class NamedPipe {
        let path: String
        private let handle: FileHandle

        fileprivate init(path: String) throws {
            self.path = path
            try FileManager.default.removeItem(atPath: path)
            guard mkfifo(path, 0o600) == 0, let handle = FileHandle(forUpdatingAtPath: path) else {
                throw InputProblem(file: path, line: nil, reason: "no pipe can be made")
            }
            self.handle = handle
        }

        func write(_ text: String) throws {
            try handle.write(contentsOf: Data(text.utf8))
        }
    }
}

/// The recorded data beside the package, where it is there.
enum RecordedData {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("../shared/data").standardized.path

    /// The path of a recorded file; `nil`, with a line that says so, if it is missing.
    static func file(_ name: String) -> String? {
        let file = "\(root)/\(name)"
        if FileManager.default.isReadableFile(atPath: file) { return file }
        print("not checked: ../shared/data/\(name) is missing")
        return nil
    }
}

/// A producer that keeps what it is given.
final class KeptProducer: PlainProducer {
    var records: [Record] = []
    var flushes = 0
    var failure: LogError?
    /// The number of records that are not acknowledged.
    var waiting = 0
    /// The number of calls that find no room before one finds some.
    var fullCount = 0

    func produce(
        topic: String, partition: Partition?, key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?,
        headers: [Header]
    ) throws(LogError) {
        if let failure { throw failure }
        if fullCount > 0 {
            fullCount -= 1
            throw LogError(.queueFull, name: "_QUEUE_FULL", "no room")
        }
        records.append(
            Record(
                topic: topic, partition: partition ?? -1, offset: Offset(Int64(records.count)),
                key: key.map { Array($0) }, value: value.map { Array($0) }, headers: headers))
    }

    func unacknowledged() throws(LogError) -> Int { waiting }
    func flush(timeout: Duration) throws(LogError) { flushes += 1 }
    func close() {}
}

/// A clock that moves only when somebody waits.
final class SteppingClock: PacingClock {
    var now = Duration.zero
    /// The time of day when `now` was zero.
    var start = Instant(milliseconds: 0)
    var waits = 0
    var wall: Instant { start + ElapsedTime(now) }

    func wait(for duration: Duration) {
        waits += 1
        now += duration
    }
}

/// A source of records that are there already.
final class ListSource: RecordSource {
    private var records: [SourceRecord]
    private let problem: InputProblem?

    init(_ records: [SourceRecord], then problem: InputProblem? = nil) {
        self.records = records.reversed()
        self.problem = problem
    }

    var fractionDone: Double? { nil }

    func next() throws(InputProblem) -> SourceRecord? {
        if let record = records.popLast() { return record }
        if let problem { throw problem }
        return nil
    }
}

extension RecordSource {
    /// Reads records, `count` at most.
    func records(_ count: Int = .max) throws -> [SourceRecord] {
        var records: [SourceRecord] = []
        while records.count < count, let record = try next() { records.append(record) }
        return records
    }
}

extension SourceRecord {
    var keyText: String { String(decoding: key, as: UTF8.self) }
    var valueText: String? { value.map { String(decoding: $0, as: UTF8.self) } }
}
