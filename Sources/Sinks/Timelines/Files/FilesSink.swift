package import RecordLog

/// One file per configuration in a directory: the record's value as it is, or a calendar of its events
/// (`TimelineFileForm`). A file is replaced atomically, and removed by a tombstone, and when the configuration's
/// `sinks` no longer name this sink.
///
/// The file's name is that of `fileName(of:)`; where each recipient has a folder, the file moves with its recipient.
/// Files that begin with a dot are the sink's own. A directory has one sink at a time. To start over, empty it.
package final class FilesSink: TimelineSink {
    package let name: String
    /// The files with names of another form that were found at the start.
    package let renamedFiles: RenamedFiles
    private let directory: Directory
    private var tree: FileTree

    /// True if names keep capitals as they are: the directory tells `Car` from `car`.
    package var keepsCapitals: Bool { tree.keepsCapitals }

    /// Makes the directory if it is missing, removes what a crash left half written, and gives files that have names
    /// of another form those of now.
    ///
    /// - Throws: `refused` also if another sink, of any process, writes to the directory, or if its files are of
    ///   another form or layout.
    package init(
        directory path: String, form: TimelineFileForm = .timeline, layout: FilesLayout = .flat, name: String = "files"
    ) throws(SinkError) {
        self.name = name
        directory = try Directory(path: path)
        for leftover in try directory.names() where leftover.hasPrefix(Directory.temporaryPrefix) {
            try directory.remove(leftover)
        }
        var tree = try FileTree(directory, form, layout)
        if let holds = try Self.otherContent(of: directory, than: tree) {
            throw .refused(
                SinkFault(
                    place: path, operation: "write to",
                    reason: "it holds \(holds), and this sink writes \(Self.content(of: tree)): name another directory,"
                        + " or empty this one"))
        }
        renamedFiles = try tree.renameFiles()
        try tree.findFiles()
        self.tree = tree
    }

    package func fileName(of configurationId: String) -> String { tree.name(of: configurationId) }

    package func write(_ record: SinkRecord) throws(SinkError) -> SinkOutcome {
        let file = fileName(of: record.configurationId)
        guard let timeline = record.timeline(for: name) else { return try tree.remove(file) ? .removed : .unchanged }
        let (content, stamp) = try tree.form.content(of: timeline)
        let old = try tree.path(of: file).map { path throws(SinkError) in try directory.read(path) } ?? nil
        if old == content { return .unchanged }
        // What is there but cannot be read is no timeline to keep.
        if let old, let oldStamp = tree.form.stamp(of: old), stamp.isOlder(than: oldStamp) { return .unchanged }
        let recipient = tree.layout == .flat ? nil : TimelineFileForm.timeline.owner(of: timeline)?.recipient
        try tree.replace(file, with: content, of: recipient)
        return .written
    }

    package func configurations(while goesOn: () -> Bool) throws(SinkError) -> [String]? {
        try tree.configurations(while: goesOn)
    }

    package func flush() throws(SinkError) { try tree.synchronise() }

    // MARK: - Positions

    package func positions(of topic: String) throws(SinkError) -> [Partition: SinkPosition] {
        guard let bytes = try directory.read(SinkPositionsFile.name), try Self.hasFiles(directory) else { return [:] }
        return SinkPositionsFile(bytes).positions[topic] ?? [:]
    }

    package func keep(_ positions: [Partition: SinkPosition], of topic: String) throws(SinkError) {
        // Nobody looks at what is written to a directory that is elsewhere, and another sink may write to one that took
        // its place.
        try directory.checkPlace()
        var file = SinkPositionsFile(try directory.read(SinkPositionsFile.name) ?? [])
        let content = Self.content(of: tree)
        if file.content != content { file = SinkPositionsFile([]) }
        file.content = content
        file.positions[topic] = positions
        try directory.replace(SinkPositionsFile.name, with: file.bytes)
        try directory.synchronise()
    }

    /// `rm -r DIR/*` leaves the positions alone, and still means to start over.
    private static func hasFiles(_ directory: Directory) throws(SinkError) -> Bool {
        try directory.names().contains { !$0.hasPrefix(".") }
    }

    /// What the directory holds of a sink that writes something else; `nil` if there is nothing of the kind.
    private static func otherContent(of directory: Directory, than tree: FileTree) throws(SinkError) -> String? {
        guard let bytes = try directory.read(SinkPositionsFile.name), try hasFiles(directory) else { return nil }
        let content = SinkPositionsFile(bytes).content
        return content == Self.content(of: tree) ? nil : content
    }

    /// The words by which the positions file tells contents apart.
    private static func content(of tree: FileTree) -> String {
        let form = tree.form == .timeline ? SinkPositionsFile.timelines : "calendars"
        return tree.layout == .flat ? form : "\(form) by recipient"
    }
}
