import Observability
import Postgres
import Sinks

/// A place that keeps timelines, as `--to` names it.
enum SinkTarget: Hashable, Sendable {
    case files(directory: String)
    case sqlite(file: String)
    case postgres(PostgresAddress)

    struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    /// The forms that `init` reads, in the order in which they are listed.
    static let forms = ["files:DIR", "sqlite:FILE", "postgres://USER@HOST/DB"]

    init(_ text: String) throws(Problem) {
        let parts = text.split(separator: ":", maxSplits: 1)
        switch (parts.first, parts.count == 2 ? String(parts[1]) : "") {
        case ("files", let directory) where !directory.isEmpty: self = .files(directory: directory)
        case ("sqlite", let file) where !file.isEmpty: self = .sqlite(file: file)
        case ("postgres", let rest) where !rest.isEmpty, ("postgresql", let rest) where !rest.isEmpty:
            self = .postgres(try Self.postgresAddress(rest))
        default: throw Problem(description: "must be \(TimelineTarget.allowed)")
        }
    }

    /// The name of a sink that the settings do not name.
    var name: String {
        switch self {
        case .files: "files"
        case .sqlite: "sqlite"
        case .postgres: "postgres"
        }
    }

    /// Reads what follows `postgres:`: the rest of a URL, a URL, or libpq's keywords.
    private static func postgresAddress(_ rest: String) throws(Problem) -> PostgresAddress {
        do throws(PostgresAddress.Problem) {
            return try PostgresAddress(rest.hasPrefix("//") ? "postgres:" + rest : rest)
        } catch {
            throw Problem(description: "postgres: \(error)")
        }
    }

    /// Opens the target.
    ///
    /// - Parameter name: the sink's, by which a configuration's `sinks` choose it.
    /// - Throws: what keeps it from being written to.
    func open(_ environment: Environment, name: String) throws(SinkError) -> any TimelineSink {
        switch self {
        case .files(let directory):
            let files = try FilesSink(directory: directory, name: name)
            // Somebody may look for the files under their old names.
            if !files.renamedFiles.isEmpty {
                environment.logger(for: .sinks).notice("\(directory): \(files.renamedFiles)")
            }
            return files
        case .sqlite(let file): return try SQLiteSink(file: file, name: name)
        case .postgres(let address): return PostgresSink(address, name: name)
        }
    }
}
