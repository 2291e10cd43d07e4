import Foundation
import Glibc
import TestSupport
import Testing

/// A Redis that keeps what it has acknowledged. Its stream tells each record that was written.
final class RedisTarget: TargetUnderTest {
    let guarantee = SinkGuarantee.redis
    private let redis: RedisProcess

    init() throws {
        redis = try RedisProcess(["--save", "", "--appendonly", "yes", "--appendfsync", "always"])
    }

    var address: String { redis.address }

    func progress() throws -> Int { Int(try redis.cli("XLEN", "tideline:changes")) ?? 0 }

    func contents() throws -> [String: Data] {
        let keys = try redis.cli("KEYS", "tideline:timeline:*").split(separator: "\n").map(String.init)
        guard !keys.isEmpty else { return [:] }
        let values = try redis.cli(["MGET"] + keys).split(separator: "\n")
        try #require(keys.count == values.count)
        return Dictionary(
            uniqueKeysWithValues: zip(keys, values).map {
                (String($0.dropFirst("tideline:timeline:".count)), Data($1.utf8))
            })
    }

    func writtenRecords() throws -> [String] {
        let lines = try redis.cli("XRANGE", "tideline:changes", "-", "+").split(separator: "\n")
        return lines.indices.dropLast(3).filter { lines[$0] == "partition" }.map {
            "\(lines[$0 + 1])/\(lines[$0 + 3])"
        }
    }

    func takeAway() { redis.kill() }

    func bringBack() throws { try redis.start() }

    func stall() { redis.signal(SIGSTOP) }

    func goOn() { redis.signal(SIGCONT) }

    func fill() throws { try redis.cli("CONFIG", "SET", "maxmemory", "1") }

    func makeRoom() throws { try redis.cli("CONFIG", "SET", "maxmemory", "0") }

    /// Each timeline is in the set of its recipient, and no set has others.
    func examine() throws {
        let members = try redis.cli("KEYS", "tideline:recipient:*").split(separator: "\n").reduce(0) {
            $0 + (Int(try redis.cli("SCARD", String($1))) ?? 0)
        }
        #expect(try members == contents().count)
    }
}
