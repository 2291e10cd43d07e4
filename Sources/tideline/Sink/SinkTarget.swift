import Foundation
import Messages
import Observability
import Postgres
import Redis
import Settings
import Sinks
import StreamRuntime

/// A place that keeps timelines, as `--to` names it, or reloads.
enum SinkTarget: Hashable, Sendable {
    case files(directory: String, FilesLayout = .flat)
    /// Calendar files.
    case calendars(directory: String, FilesLayout = .flat)
    case sqlite(file: String)
    case postgres(PostgresAddress)
    case redis(RedisAddress)
    case kafka(KafkaTopicAddress)
    case stdout
    /// Reloads, as `--reloads` names it; no `--to` does.
    case reloads(ReloadTable)

    struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    /// The forms that `init` reads, in the order in which they are listed.
    static let forms = [
        "files:DIR", "ics:DIR", "sqlite:FILE", "postgres://USER@HOST/DB", "redis://HOST", "kafka:TOPIC@HOST:PORT",
        "stdout",
    ]

    init(_ text: String) throws(Problem) {
        if text == "stdout" {
            self = .stdout
            return
        }
        let parts = text.split(separator: ":", maxSplits: 1)
        let rest = parts.count == 2 ? String(parts[1]) : ""
        switch parts.first {
        case "rediss": self = .redis(try Self.redis(text))
        case "kafka": self = .kafka(try KafkaTopicAddress(rest))
        case _ where rest.isEmpty: throw Self.unknown(text)
        case "files":
            let (directory, layout) = try Self.layout(of: rest)
            self = .files(directory: directory, layout)
        case "ics":
            let (directory, layout) = try Self.layout(of: rest)
            self = .calendars(directory: directory, layout)
        case "sqlite": self = .sqlite(file: rest)
        case "postgres", "postgresql": self = .postgres(try Self.postgres(rest))
        case "redis": self = .redis(try Self.redis(rest))
        default: throw Self.unknown(text)
        }
    }

    /// The problem with a text that is no target. What stands behind the first colon may be a secret.
    private static func unknown(_ text: String) -> Problem {
        let beginning = Secrets.masked(String(text.prefix { $0 != ":" }.prefix(100)))
        let found = text.contains(":") ? "\(beginning):…" : beginning
        return Problem(description: "must be \(TimelineTarget.allowed)" + (found.isEmpty ? "" : ", not '\(found)'"))
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

    /// Reads what follows `postgres:`: the rest of a URL, a URL, or libpq's keywords.
    static func postgres(_ rest: String) throws(Problem) -> PostgresAddress {
        do throws(PostgresAddress.Problem) {
            return try PostgresAddress(rest.hasPrefix("//") ? "postgres:" + rest : rest)
        } catch {
            throw Problem(description: "postgres: \(error)")
        }
    }

    /// - Parameter text: what follows `redis:`, or a URL.
    private static func redis(_ text: String) throws(Problem) -> RedisAddress {
        // Such a password would be taken for a part of a text.
        if !text.contains("//"), text.contains("@") {
            throw Problem(description: "must be redis://USER:PASSWORD@HOST where a password is named")
        }
        do throws(RedisAddress.Problem) {
            return try RedisAddress(text.hasPrefix("//") ? "redis:" + text : text)
        } catch {
            throw Problem(description: "cannot be that: \(error)")
        }
    }

    /// The name of a sink that the settings do not name.
    var name: String {
        switch self {
        case .files: "files"
        case .calendars: "ics"
        case .sqlite: "sqlite"
        case .postgres: "postgres"
        case .redis: "redis"
        case .kafka: "kafka"
        case .stdout: "stdout"
        case .reloads(let table): table.name
        }
    }

    /// What it keeps.
    var content: SinkContent { if case .reloads = self { .reloads } else { .timelines } }

    /// Opens the target.
    ///
    /// - Parameter name: the sink's, by which a configuration's `sinks` choose it.
    /// - Throws: what keeps it from being written to.
    func open(_ environment: Environment, name: String) throws(SinkError) -> any TimelineSink {
        switch self {
        case .files(let directory, let layout):
            return try files(in: directory, .timeline, layout, name, environment)
        case .calendars(let directory, let layout):
            let form = TimelineFileForm.calendar(environment.settings[Keys.kinds])
            return try files(in: directory, form, layout, name, environment)
        case .sqlite(let file): return try SQLiteSink(file: file, name: name)
        case .postgres(let address): return PostgresSink(address, name: name)
        case .redis(var address):
            if address.password == nil, let secret = ProcessInfo.processInfo.environment["REDISCLI_AUTH"] {
                address.password = RedisPassword(secret)
            }
            return RedisSink(
                address, name: name, owner: Self.owner, now: { WallClock.uptime() },
                unchecked: { environment.logger(for: .sinks).notice("\($0)") })
        case .kafka(let address): return try address.open(environment, name: name)
        case .stdout: return LinesSink(name: name, shouldStop: { Signals.isStopRequested })
        case .reloads(let table): return try table.open(environment, name: name)
        }
    }

    private func files(
        in directory: String, _ form: TimelineFileForm, _ layout: FilesLayout, _ name: String,
        _ environment: Environment
    ) throws(SinkError) -> FilesSink {
        let files = try FilesSink(directory: directory, form: form, layout: layout, name: name)
        // Somebody may look for the files under their old names.
        if !files.renamedFiles.isEmpty {
            environment.logger(for: .sinks).notice("\(directory): \(files.renamedFiles)")
        }
        return files
    }

    /// The name that a lock has while this process holds it.
    private static var owner: String {
        var name = [CChar](repeating: 0, count: 256)
        let isKnown = gethostname(&name, name.count - 1) == 0
        let host = isKnown ? String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : ""
        return "tideline on \(host), process \(getpid()), \(UUID().uuidString)"
    }
}

extension Environment {
    /// The name of the topic that a sink of this content reads.
    func topic(of content: SinkContent) -> String { content == .timelines ? topics.timelines : topics.reloads }
}
