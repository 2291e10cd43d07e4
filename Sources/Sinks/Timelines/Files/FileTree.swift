/// Where the files of configurations lie below a directory.
package enum FilesLayout: Hashable, Sendable {
    /// All beside each other.
    case flat
    /// In a folder for each recipient.
    case byRecipient
}

/// The files of a sink's directory: their form, their names, and in whose folders they are.
///
/// A tombstone does not say of which recipient a configuration was. So where each has a folder, the tree remembers in
/// which folder a file lies: some hundred bytes of memory for each.
struct FileTree {
    let directory: Directory
    let form: TimelineFileForm
    let layout: FilesLayout
    /// True if the directory tells `Car` from `car`.
    let keepsCapitals: Bool
    /// The folders of recipients, by number.
    private var folders: [String] = []
    private var numbers: [String: Int] = [:]
    /// The number of the folder in which a file lies, by the file's name.
    private var places: [String: Int] = [:]
    /// Folders with changes that are not durable yet, by number.
    private var changed: Set<Int> = []

    init(_ directory: Directory, _ form: TimelineFileForm, _ layout: FilesLayout) throws(SinkError) {
        self.directory = directory
        self.form = form
        self.layout = layout
        keepsCapitals = try directory.distinguishesCases(known: SinkPositionsFile.name)
    }

    func name(of configurationId: String) -> String {
        TimelineFileName.of(configurationId, suffix: form.suffix, keepsCapitals: keepsCapitals)
    }

    func folder(of recipient: String) -> String {
        TimelineFileName.of(recipient, suffix: "", keepsCapitals: keepsCapitals)
    }

    /// The paths of all files that there are, ascending, those of others included.
    func paths() throws(SinkError) -> [String] {
        guard layout == .byRecipient else { return try directory.names() }
        var paths: [String] = []
        for folder in try directory.folders() where !folder.hasPrefix(".") {
            for name in try directory.names(in: folder) { paths.append("\(folder)/\(name)") }
        }
        return paths
    }

    /// Looks where files are. If a configuration has two, as after a crash in the middle of a move, the newer stays.
    mutating func findFiles() throws(SinkError) {
        guard layout == .byRecipient else { return }
        for path in try paths() {
            let (folder, name) = Self.parts(of: path)
            if case .foreign = TimelineFileName.read(name, suffix: form.suffix) { continue }
            guard let folder else { continue }
            if let other = self.path(of: name) {
                guard let content = try directory.read(path) else { continue }
                let isOld = form.isSuperseded(content, by: try directory.read(other))
                try directory.remove(isOld ? path : other)
                if isOld { continue }
            }
            places[name] = number(of: folder)
        }
    }

    /// The path of a configuration's file; `nil` if it has none, as far as that is known.
    func path(of name: String) -> String? {
        guard layout == .byRecipient else { return name }
        return places[name].map { "\(folders[$0])/\(name)" }
    }

    /// Puts a file in place of the one before it, wherever that lies.
    mutating func replace(_ name: String, with content: [UInt8], of recipient: String?) throws(SinkError) {
        guard layout == .byRecipient else { return try directory.replace(name, with: content, isServed: true) }
        guard let recipient else {
            throw .unusable(
                BadRecord(field: "recipient", "the timeline has none, and its file belongs into its folder"))
        }
        let folder = folder(of: recipient)
        let number = number(of: folder)
        let old = places[name]
        try directory.makeFolder(folder)
        try directory.replace("\(folder)/\(name)", with: content, isServed: true)
        changed.insert(number)
        places[name] = number
        // Last, so that a reader never finds none.
        if let old, old != number { try remove(name, in: old) }
    }

    /// - Returns: false if there was no such file.
    mutating func remove(_ name: String) throws(SinkError) -> Bool {
        guard layout == .byRecipient else { return try directory.remove(name) }
        guard let number = places[name] else { return false }
        let isRemoved = try remove(name, in: number)
        places[name] = nil
        return isRemoved
    }

    @discardableResult
    private mutating func remove(_ name: String, in number: Int) throws(SinkError) -> Bool {
        let isRemoved = try directory.remove("\(folders[number])/\(name)")
        // A folder stays for as long as it has files.
        if try directory.removeFolder(folders[number]) { changed.remove(number) } else { changed.insert(number) }
        return isRemoved
    }

    /// Makes everything durable.
    mutating func synchronise() throws(SinkError) {
        for number in changed.sorted() { try directory.synchronise(folders[number]) }
        try directory.synchronise()
        changed = []
    }

    private mutating func number(of folder: String) -> Int {
        if let number = numbers[folder] { return number }
        numbers[folder] = folders.count
        folders.append(folder)
        return folders.count - 1
    }

    static func parts(of path: String) -> (folder: String?, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (nil, path) }
        return (String(path[..<slash]), String(path[path.index(after: slash)...]))
    }
}
