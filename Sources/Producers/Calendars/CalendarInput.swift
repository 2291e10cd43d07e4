import Glibc

/// An iCalendar file and the calendar that its events are of.
package struct CalendarInput: Hashable, Sendable {
    /// A path; `-` is standard input.
    package var file: String
    package var calendarId: String

    package init(file: String, calendarId: String) {
        self.file = file
        self.calendarId = calendarId
    }

    /// The files that paths stand for: a folder for every `*.ics` and `*.ics.gz` below it, by the UTF-8 bytes of their
    /// names, folder by folder; any other path for itself. A file that was named before is passed over.
    ///
    /// - Parameter calendarId: of all of them; nil: each file is the calendar that is named like it.
    /// - Returns: the files, and the folders that cannot be read or hold no calendar.
    package static func find(
        _ paths: [String], calendarId: String? = nil
    ) -> (inputs: [CalendarInput], problems: [InputProblem]) {
        var inputs: [CalendarInput] = []
        var problems: [InputProblem] = []
        var seen: Set<String> = []
        for path in paths {
            do throws(InputProblem) {
                for file in try files(path) where seen.insert(file).inserted {
                    inputs.append(CalendarInput(file: file, calendarId: calendarId ?? self.calendarId(of: file)))
                }
            } catch {
                problems.append(error)
            }
        }
        return (inputs, problems)
    }

    /// What a file's calendar is named when nobody says it: its name without folder and extension, packed or not.
    package static func calendarId(of file: String) -> String {
        var name = file.split(separator: "/").last.map { String($0) } ?? file
        for ending in [".gz", ".ics"] where name.lowercased().hasSuffix(ending) && name.utf8.count > ending.utf8.count {
            name.removeLast(ending.count)
        }
        return name
    }

    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    // MARK: - Folders

    private static func files(_ path: String) throws(InputProblem) -> [String] {
        guard path != "-", isFolder(path) else { return [path] }
        let folder = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        let found = try files(below: folder, depth: 0)
        guard !found.isEmpty else {
            throw InputProblem(file: path, line: nil, reason: "no *.ics or *.ics.gz lies in this folder or below it")
        }
        return found
    }

    /// Links may lead round in circles, which ends at this depth.
    private static let depthMax = 32

    private static func files(below folder: String, depth: Int) throws(InputProblem) -> [String] {
        guard depth <= depthMax else {
            throw InputProblem(file: folder, line: nil, reason: "more than \(depthMax) folders lie in each other")
        }
        var files: [String] = []
        for name in try names(in: folder) {
            let path = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
            if isFolder(path) {
                files += try self.files(below: path, depth: depth + 1)
            } else if [".ics", ".ics.gz"].contains(where: { name.lowercased().hasSuffix($0) }) {
                files.append(path)
            }
        }
        return files
    }

    /// In a fixed order; without what is hidden.
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
