import Observability
import Postgres
import RecordLog
import Settings
import Sinks

/// Where reloads go, as `--reloads` names it.
enum ReloadTarget: Sendable {
    /// Tables that keep them.
    case kept(ReloadTable)
    /// Somebody who is sent them.
    case sent(DeliveryTarget)

    struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    static let allowed = "an address such as https://example.com/reloads, apns, \(ReloadTable.allowed)"

    init(_ text: String) throws(Problem) {
        do {
            if text == "apns" {
                self = .sent(.apns)
            } else if let table = try ReloadTable(text) {
                self = .kept(table)
            } else {
                self = .sent(.webhook(try WebhookURL(text, form: "must be \(Self.allowed)")))
            }
        } catch {
            throw Problem(description: "\(error)")
        }
    }
}

/// Tables that keep reloads.
enum ReloadTable: Hashable, Sendable {
    case sqlite(file: String)
    case postgres(PostgresAddress)

    static let allowed = "sqlite:FILE or postgres://USER@HOST/DB"

    /// - Returns: `nil` if the text names no database.
    init?(_ text: String) throws(SinkTarget.Problem) {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard let scheme = parts.first, ["sqlite", "postgres", "postgresql"].contains(scheme) else { return nil }
        guard parts.count == 2 else {
            throw SinkTarget.Problem(description: "must be \(Self.allowed)")
        }
        let rest = String(parts[1])
        self = scheme == "sqlite" ? .sqlite(file: rest) : .postgres(try SinkTarget.postgres(rest))
    }

    /// The name of the sink, which is another than that of the sink of timelines beside it.
    var name: String {
        switch self {
        case .sqlite: "reloads-sqlite"
        case .postgres: "reloads-postgres"
        }
    }

    func open(_ environment: Environment, name: String) throws(SinkError) -> any TimelineSink {
        let retention = ReloadRetention(age: environment.settings[Keys.reloadsKeep], now: { .now() })
        switch self {
        case .sqlite(let file): return try SQLiteReloadSink(file: file, name: name, retention: retention)
        case .postgres(let address): return PostgresReloadSink(address, name: name, retention: retention)
        }
    }
}
