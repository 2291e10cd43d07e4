import Foundation
import SQLite

/// A directory of its own for one test, removed with its owner.
final class TemporaryDirectory {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "tideline-sinks-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Names of the files that are not hidden, ascending.
    var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { !$0.hasPrefix(".") }.sorted()
    }

    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: "\(path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }

    /// The first column of the first row that a database of SQLite here gives; `nil` if there is none, or it is NULL.
    func firstText(of sql: String, in database: String) throws -> String? {
        let statement = try SQLiteDatabase("\(path)/\(database)").prepare(sql)
        return try statement.step() && !statement.isNull(0) ? statement.text(0) : nil
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    /// Looks to a sink like a folder of a file system that takes `Car` and `car` for the same: what it looks for in
    /// capitals is there.
    func takeCasesForTheSame() throws {
        for name in [".TIDELINE-NEW-PROBE", ".TIDELINE-OFFSETS.JSON"] { try write("", to: name) }
    }

    /// What shows that a file was left alone: another file in its place has another number.
    func identity(_ name: String) throws -> String {
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
        return "\(attributes[.systemFileNumber] ?? "") \(attributes[.modificationDate] ?? "")"
    }
}
