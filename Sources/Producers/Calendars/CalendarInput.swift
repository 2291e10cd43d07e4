import Glibc

/// An iCalendar file and the calendar that its events are of.
package struct CalendarInput: Hashable, Sendable {
    /// A path; `-` is standard input.
    package var file: String
    /// The calendar that the file's events belong to.
    package var calendarId: String

    package init(file: String, calendarId: String) {
        self.file = file
        self.calendarId = calendarId
    }

    /// The files that paths stand for: a folder for every `*.ics` and `*.ics.gz` below it, by the UTF-8 bytes of their
    /// names, folder by folder; any other path for itself. A file that was named before is passed over.
    ///
    /// - Parameter calendarId: the calendar of all files; `nil` means that each file is the calendar that is named like
    ///   it.
    /// - Returns: the files, and the folders that cannot be read or hold no calendar.
    package static func find(
        _ paths: [String], calendarId: String? = nil
    ) -> (inputs: [CalendarInput], problems: [InputProblem]) {
        var inputs: [CalendarInput] = []
        var problems: [InputProblem] = []
        var found: Set<String> = []
        for path in paths {
            for file in files(path, &problems) where found.insert(file).inserted {
                inputs.append(CalendarInput(file: file, calendarId: calendarId ?? self.calendarId(of: file)))
            }
        }
        return (inputs, problems)
    }

    /// The calendar of a file if none is named: the file's name without folder and extension, packed or not.
    package static func calendarId(of file: String) -> String {
        var name = file.split(separator: "/").last.map { String($0) } ?? file
        for ending in [".gz", ".ics"] where name.lowercased().hasSuffix(ending) && name.utf8.count > ending.utf8.count {
            name.removeLast(ending.count)
        }
        return name
    }

    /// True if a path leads to a folder.
    package static func isFolder(_ path: String) -> Bool { folder(path) != nil }

    // MARK: - Folders

    private static func files(_ path: String, _ problems: inout [InputProblem]) -> [String] {
        guard path != "-", let identity = folder(path) else { return [path] }
        let known = problems.count
        var visited: Set<[UInt64]> = [identity]
        let folder = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        let found = files(below: folder, &visited, &problems)
        if found.isEmpty, problems.count == known {
            let reason = "no *.ics or *.ics.gz lies in this folder or below it"
            problems.append(InputProblem(file: path, line: nil, reason: reason))
        }
        return found
    }

    /// - Parameter visited: the folders that were read. Links may lead round in circles, so each folder is read once.
    private static func files(
        below folder: String, _ visited: inout Set<[UInt64]>, _ problems: inout [InputProblem]
    ) -> [String] {
        var files: [String] = []
        do throws(InputProblem) {
            for name in try names(in: folder) {
                let path = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
                if let identity = self.folder(path) {
                    if visited.insert(identity).inserted { files += self.files(below: path, &visited, &problems) }
                } else if [".ics", ".ics.gz"].contains(where: { name.lowercased().hasSuffix($0) }) {
                    files.append(path)
                }
            }
        } catch {
            problems.append(error)
        }
        return files
    }

    /// The identity of a folder, which no other folder has; `nil` if the path leads to none.
    private static func folder(_ path: String) -> [UInt64]? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        return [UInt64(status.st_dev), UInt64(status.st_ino)]
    }

    /// The names in a folder, ascending by UTF-8 bytes, without hidden ones.
    private static func names(in folder: String) throws(InputProblem) -> [String] {
        guard let directory = opendir(folder) else {
            throw InputProblem(file: folder, line: nil, reason: systemError())
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
