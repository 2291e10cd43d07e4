import Observability
import Sinks

/// A destination of timelines, as `--to` names it.
enum SinkTarget: Hashable, Sendable {
    case files(directory: String)
    case sqlite(file: String)

    struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    /// The forms of `--to`, in the order in which they are listed. Addresses of HTTP are a `DeliveryTarget`.
    static let forms = ["files:DIR", "sqlite:FILE", "https://…"]

    init(_ text: String) throws(Problem) {
        let parts = text.split(separator: ":", maxSplits: 1)
        switch (parts.first, parts.count == 2 ? String(parts[1]) : "") {
        case ("files", let directory) where !directory.isEmpty: self = .files(directory: directory)
        case ("sqlite", let file) where !file.isEmpty: self = .sqlite(file: file)
        default: throw Problem(description: "must be \(Self.forms.joined(separator: " or "))")
        }
    }

    /// Opens the target.
    ///
    /// - Throws: what keeps it from being written to.
    func open(_ environment: Environment) throws(SinkError) -> any TimelineSink {
        switch self {
        case .files(let directory):
            let files = try FilesSink(directory: directory)
            // Somebody may look for the files under their old names.
            if !files.renamedFiles.isEmpty {
                environment.logger(for: .sinks).notice("\(directory): \(files.renamedFiles)")
            }
            return files
        case .sqlite(let file): return try SQLiteSink(file: file)
        }
    }
}
