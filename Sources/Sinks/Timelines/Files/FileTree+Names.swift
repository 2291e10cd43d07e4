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

extension FileTree {
    /// Gives files whose names keep or escape capitals, other than names do now, the names of now: those of an earlier
    /// release, and those that came from a file system of the other kind. The same for folders of recipients.
    ///
    /// A name changes at once and whole, so a crash between two of them leaves work for the next start and no more.
    /// If both names have a file, the newer timeline stays.
    func renameFiles() throws(SinkError) -> RenamedFiles {
        var result = RenamedFiles()
        for path in try paths() {
            guard let wanted = try wantedPath(of: path), path != wanted else { continue }
            // A folder is somebody's own.
            guard let content = try directory.read(path) else { continue }
            let isSuperseded = form.isSuperseded(content, by: try directory.read(wanted))
            if isSuperseded {
                try directory.remove(path)
                result.removed += 1
            } else {
                if let folder = Self.parts(of: wanted).folder { try directory.makeFolder(folder) }
                try directory.rename(path, to: wanted)
                result.renamed += 1
            }
            if let folder = Self.parts(of: path).folder { try directory.removeFolder(folder) }
            if let folder = Self.parts(of: wanted).folder { try directory.synchronise(folder) }
        }
        if !result.isEmpty { try directory.synchronise() }
        return result
    }

    /// The configurations that have a file, in the order of the files' paths. Somebody's own file, which names another
    /// configuration than its name does, or none, is not counted.
    ///
    /// - Parameter goesOn: asked now and then; false ends it early, with a part of them.
    func configurations(while goesOn: () -> Bool) throws(SinkError) -> [String] {
        var ids: [String] = []
        for (number, path) in try paths().enumerated() {
            guard number % 256 != 0 || goesOn() else { break }
            let found = try id(of: Self.parts(of: path).name, suffix: form.suffix, in: path) { $0.configurationId }
            guard let found, let content = try directory.read(path) else { continue }
            if form.owner(of: content)?.configurationId == found { ids.append(found) }
        }
        return ids
    }

    /// Returns `nil` if it is no timeline's file.
    private func wantedPath(of path: String) throws(SinkError) -> String? {
        let (folder, file) = Self.parts(of: path)
        let found = try id(of: file, suffix: form.suffix, in: path) { $0.configurationId }
        guard let id = found else { return nil }
        let name = name(of: id)
        guard let folder else { return name }
        let recipient = try self.id(of: folder, suffix: "", in: path) { $0.recipient }
        return recipient.map { "\(self.folder(of: $0))/\(name)" }
    }

    /// Reads an id from a name or, where it is too long for one, from the file.
    private func id(
        of name: String, suffix: String, in path: String, _ member: (TimelineFileForm.Owner) -> String?
    ) throws(SinkError) -> String? {
        switch TimelineFileName.read(name, suffix: suffix) {
        case .foreign: return nil
        case .id(let id): return id
        case .hashed:
            guard let id = try directory.read(path).flatMap(form.owner).flatMap(member) else { return nil }
            return TimelineFileName.isName(name, of: id, suffix: suffix) ? id : nil
        }
    }
}
