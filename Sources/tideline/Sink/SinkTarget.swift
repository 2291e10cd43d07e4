import Observability
import Settings
import Sinks

/// A destination of timelines, as `--to` names it.
enum SinkTarget: Hashable, Sendable {
    case files(directory: String, FilesLayout = .flat)
    /// Calendar files.
    case calendars(directory: String, FilesLayout = .flat)
    case sqlite(file: String)
    case kafka(KafkaTopicAddress)

    struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    /// The forms that `init` reads, in the order in which they are listed.
    static let forms = ["files:DIR", "ics:DIR", "sqlite:FILE", "kafka:TOPIC@HOST:PORT"]

    init(_ text: String) throws(Problem) {
        let parts = text.split(separator: ":", maxSplits: 1)
        switch (parts.first, parts.count == 2 ? String(parts[1]) : "") {
        case ("files", let text) where !text.isEmpty:
            let (directory, layout) = try Self.layout(of: text)
            self = .files(directory: directory, layout)
        case ("ics", let text) where !text.isEmpty:
            let (directory, layout) = try Self.layout(of: text)
            self = .calendars(directory: directory, layout)
        case ("sqlite", let file) where !file.isEmpty: self = .sqlite(file: file)
        case ("kafka", let address): self = .kafka(try KafkaTopicAddress(address))
        default: throw Problem(description: "must be \(Self.forms.joined(separator: " or "))")
        }
    }

    /// Reads `DIR`, or `DIR?by=recipient`.
    private static func layout(of text: String) throws(Problem) -> (directory: String, FilesLayout) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        guard parts.count == 2 else { return (text, .flat) }
        guard parts[1] == "by=recipient", !parts[0].isEmpty else {
            throw Problem(description: "must name a directory, behind which nothing but ?by=recipient may stand")
        }
        return (parts[0], .byRecipient)
    }

    /// Opens the target.
    ///
    /// - Throws: what keeps it from being written to.
    func open(_ environment: Environment) throws(SinkError) -> any TimelineSink {
        switch self {
        case .files(let directory, let layout):
            return try files(in: directory, .timeline, layout, name: "files", environment)
        case .calendars(let directory, let layout):
            let form = TimelineFileForm.calendar(environment.settings[Keys.kinds])
            return try files(in: directory, form, layout, name: "ics", environment)
        case .sqlite(let file): return try SQLiteSink(file: file)
        case .kafka(let address): return try address.open(environment)
        }
    }

    private func files(
        in directory: String, _ form: TimelineFileForm, _ layout: FilesLayout, name: String, _ environment: Environment
    ) throws(SinkError) -> FilesSink {
        let files = try FilesSink(directory: directory, form: form, layout: layout, name: name)
        // Somebody may look for the files under their old names.
        if !files.renamedFiles.isEmpty {
            environment.logger(for: .sinks).notice("\(directory): \(files.renamedFiles)")
        }
        return files
    }
}
