import Foundation
import Glibc
import TestSupport
import Testing

/// A Redis with a password that keeps what it has acknowledged. Its stream tells each record that was written. The sink
/// cuts the stream, so it is collected while it grows.
final class RedisTarget: TargetUnderTest {
    let guarantee = SinkGuarantee.redis
    private static let password = "the-redis-secret"
    private let redis: RedisProcess
    /// So many entries of the stream were collected.
    private var changes = 0
    /// The records of these entries; a removal may have none.
    private var records: [String] = []
    /// From here on the stream is collected.
    private var next = "-"

    init() throws {
        redis = try RedisProcess([
            "--save", "", "--appendonly", "yes", "--appendfsync", "always", "--requirepass", Self.password,
        ])
    }

    var address: String { "redis://:\(Self.password)@127.0.0.1:\(redis.port)" }
    var secrets: [String] { [Self.password] }

    @discardableResult
    private func cli(_ words: [String]) throws -> String {
        try redis.cli(["-a", Self.password, "--no-auth-warning"] + words)
    }

    @discardableResult
    private func cli(_ words: String...) throws -> String { try cli(words) }

    func progress() throws -> Int {
        let lines = try cli("XRANGE", "tideline:changes", next, "+").split(separator: "\n")
        for index in lines.indices {
            // An entry is its id, and then fields, of which this is the first.
            if index + 1 < lines.count, lines[index + 1] == "change", lines[index].contains(/^\d+-\d+$/) {
                changes += 1
                next = "(\(lines[index])"
            }
            if lines[index] == "partition", index + 3 < lines.count {
                records.append("\(lines[index + 1])/\(lines[index + 3])")
            }
        }
        return changes
    }

    func contents() throws -> [String: Data] {
        let keys = try cli("KEYS", "tideline:timeline:*").split(separator: "\n").map(String.init)
        guard !keys.isEmpty else { return [:] }
        let values = try cli(["MGET"] + keys).split(separator: "\n")
        try #require(keys.count == values.count)
        return Dictionary(
            uniqueKeysWithValues: zip(keys, values).map {
                (String($0.dropFirst("tideline:timeline:".count)), Data($1.utf8))
            })
    }

    /// Redis counts the entries by itself, also those that are cut: none has been missed.
    func writtenRecords() throws -> [String] {
        let seen = try progress()
        let lines = try cli("XINFO", "STREAM", "tideline:changes").split(separator: "\n")
        let place = try #require(lines.firstIndex(of: "entries-added"))
        #expect(lines[place + 1] == "\(seen)", "\(seen) entries of the stream were seen")
        return records
    }

    func takeAway() { redis.kill() }

    func bringBack() throws { try redis.start() }

    func stall() { redis.signal(SIGSTOP) }

    func goOn() { redis.signal(SIGCONT) }

    func close() { redis.kill() }

    func fill() throws { try cli("CONFIG", "SET", "maxmemory", "1") }

    func makeRoom() throws { try cli("CONFIG", "SET", "maxmemory", "0") }

    /// Each timeline is in the set of its recipient, and no set has others.
    func examine() throws {
        let members = try cli("KEYS", "tideline:recipient:*").split(separator: "\n").reduce(0) {
            $0 + (Int(try cli("SCARD", String($1))) ?? 0)
        }
        #expect(try members == contents().count)
    }
}
