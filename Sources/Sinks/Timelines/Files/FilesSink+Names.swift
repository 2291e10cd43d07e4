import Foundation

/// The counts of files with names of another form, by what the sink did with them.
package struct RenamedFiles: Hashable, Sendable, CustomStringConvertible {
    /// Files that got their present names.
    package var renamed = 0
    /// Files that were removed: a file with the name of now held the same timeline or a newer one.
    package var removed = 0

    package var isEmpty: Bool { self == RenamedFiles() }

    package var description: String {
        "names of files have changed: \(renamed) renamed, \(removed) removed for a file that is as new or newer"
    }
}

extension FilesSink {
    /// Gives files whose names keep or escape capitals, other than names do now, the names of now: those of an earlier
    /// release, and those that came from a file system of the other kind.
    ///
    /// A name changes at once and whole, so a crash between two of them leaves work for the next start and no more.
    /// If both names have a file, the newer timeline stays.
    static func renameFiles(
        in directory: Directory, keepsCapitals: Bool
    ) throws(SinkError) -> RenamedFiles {
        var result = RenamedFiles()
        for name in try directory.names() {
            guard let id = try id(of: name, in: directory) else { continue }
            let wanted = TimelineFileName.of(id, keepsCapitals: keepsCapitals)
            if name == wanted { continue }
            if try isSuperseded(name, by: wanted, in: directory) {
                try directory.remove(name)
                result.removed += 1
            } else {
                try directory.rename(name, to: wanted)
                result.renamed += 1
            }
        }
        if !result.isEmpty { try directory.synchronise() }
        return result
    }

    /// Returns `nil` if it is no timeline's file.
    private static func id(of name: String, in directory: Directory) throws(SinkError) -> String? {
        switch TimelineFileName.read(name) {
        case .foreign: return nil
        case .id(let id): return id
        case .hashed:
            guard let bytes = try directory.read(name),
                let owner = try? JSONDecoder().decode(Owner.self, from: Data(bytes)),
                TimelineFileName.isName(name, of: owner.configurationId)
            else { return nil }
            return owner.configurationId
        }
    }

    private static func isSuperseded(
        _ name: String, by wanted: String, in directory: Directory
    ) throws(SinkError) -> Bool {
        guard let there = try directory.read(wanted) else { return false }
        guard let old = try directory.read(name), let oldStamp = TimelineStamp(old) else { return true }
        guard let thereStamp = TimelineStamp(there) else { return false }
        return there == old || !thereStamp.isOlder(than: oldStamp)
    }

    private struct Owner: Decodable {
        var configurationId: String
    }
}
