import Foundation
import Observability
import Redis
import Sinks
import StreamRuntime

/// A destination of timelines, as `--to` names it.
enum SinkTarget: Hashable, Sendable {
    case files(directory: String)
    case sqlite(file: String)
    case redis(RedisAddress)
    case stdout

    struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    /// The forms that `init` reads, in the order in which they are listed.
    static let forms = ["files:DIR", "sqlite:FILE", "redis://HOST", "stdout"]

    init(_ text: String) throws(Problem) {
        if text == "stdout" {
            self = .stdout
            return
        }
        let parts = text.split(separator: ":", maxSplits: 1)
        switch (parts.first, parts.count == 2 ? String(parts[1]) : "") {
        case ("files", let directory) where !directory.isEmpty: self = .files(directory: directory)
        case ("sqlite", let file) where !file.isEmpty: self = .sqlite(file: file)
        case ("redis", let address) where !address.isEmpty: self = .redis(try Self.redis(address))
        case ("rediss", _): self = .redis(try Self.redis(text))
        default:
            let forms = Self.forms.dropLast().joined(separator: ", ") + " or " + (Self.forms.last ?? "")
            throw Problem(description: "must be \(forms)")
        }
    }

    /// - Parameter text: what follows `redis:`, or a URL.
    private static func redis(_ text: String) throws(Problem) -> RedisAddress {
        do throws(RedisAddress.Problem) {
            return try RedisAddress(text.hasPrefix("//") ? "redis:" + text : text)
        } catch {
            throw Problem(description: "cannot be that: \(error)")
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
        case .redis(var address):
            if address.password == nil, let secret = ProcessInfo.processInfo.environment["REDISCLI_AUTH"] {
                address.password = RedisPassword(secret)
            }
            return RedisSink(address, owner: Self.owner, now: { WallClock.uptime() })
        case .stdout: return LinesSink(shouldStop: { Signals.isStopRequested })
        }
    }

    /// The name that a lock has while this process holds it.
    private static var owner: String {
        var name = [CChar](repeating: 0, count: 256)
        let isKnown = gethostname(&name, name.count - 1) == 0
        let host = isKnown ? String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : ""
        return "tideline on \(host), process \(getpid()), \(UUID().uuidString)"
    }
}
