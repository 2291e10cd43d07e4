import RecordLog
import Redis
import Sinks
import TestSupport
import Testing

@Suite("The Redis sink: its lock, and what a Redis does not tell")
struct RedisLockTests {
    private typealias Contract = TimelineSinkContract

    private static let record = Contract.record("a", Contract.timeline("a", revision: 1), offset: 0)

    @Test(
        "a sink that ends within a transaction, or before its answer, leaves the lock to the next one at once",
        arguments: [false, true])
    func ends(isSent: Bool) throws {
        let redis = try RedisProcess()
        let first = try redis.sink("the first", lease: .seconds(60))
        #expect(try first.write(Self.record) == .written)
        if isSent {
            try redis.cli("CLIENT", "PAUSE", "500", "ALL")
            try first.commit([0: SinkPosition(next: Offset(1))], of: "timelines")
        }
        first.close()
        #expect(try redis.cli("EXISTS", "tideline:sink") == "0")
        let second = try redis.sink("the second")
        #expect(try second.positions(of: "timelines")[0]?.next == (isSent ? Offset(1) : nil))
    }

    @Test("the time of a lock counts from when it was asked for, however late the answer is taken")
    func renewal() throws {
        let redis = try RedisProcess()
        var time = Duration.zero
        let sink = RedisSink(
            try RedisAddress(redis.address), owner: "test", lease: .seconds(60), now: { time })
        #expect(try sink.write(Self.record) == .written)
        try sink.commit([0: SinkPosition(next: Offset(1))], of: "timelines")
        time = .seconds(20)
        try sink.settle()
        try redis.cli("PEXPIRE", "tideline:sink", "20000")
        try sink.renew()
        #expect(Int(try redis.cli("PTTL", "tideline:sink")) ?? 0 > 20_000)
    }

    @Test(
        "a Redis that tells nothing of itself is written to, and what is not known is told once",
        arguments: [
            (["+info"], ["does not say how long a value may be (CONFIG GET: NOPERM"]),
            ([], ["does not say whether it removes keys by itself", "(INFO: NOPERM", "(CONFIG GET: NOPERM"]),
            (["+info", "+config|get"], []),
        ])
    func silent(rights: [String], words: [String]) throws {
        let redis = try RedisProcess()
        try redis.cli(
            ["ACL", "SETUSER", "writer", "on", ">secret", "~tideline:*", "+@read", "+@write", "+@transaction"]
                + ["+@connection"] + rights)
        var told: [String] = []
        let sink = RedisSink(
            try RedisAddress("redis://writer:secret@127.0.0.1:\(redis.port)"), owner: "test", now: { .zero },
            unchecked: { told.append($0) })
        #expect(try sink.write(Self.record) == .written)
        try sink.keep([0: SinkPosition(next: Offset(1))], of: "timelines")
        try redis.cli("CLIENT", "KILL", "USER", "writer")
        #expect { try sink.keep([:], of: "timelines") } throws: { $0.isUnavailable }
        #expect(try sink.positions(of: "timelines") == [0: SinkPosition(next: Offset(1))])
        #expect(told.count == (words.isEmpty ? 0 : 1), "\(told)")
        for word in words { #expect(told.first?.contains(word) == true, "\(told)") }
    }

    @Test("a Redis without the command CONFIG is written to")
    func withoutConfig() throws {
        let redis = try RedisProcess(["--save", "", "--rename-command", "CONFIG", ""])
        var told: [String] = []
        let sink = RedisSink(
            try RedisAddress(redis.address), owner: "test", now: { .zero }, unchecked: { told.append($0) })
        #expect(try sink.write(Self.record) == .written)
        try sink.keep([0: SinkPosition(next: Offset(1))], of: "timelines")
        #expect(told.count == 1 && told.first?.contains("(CONFIG GET: ERR unknown command") == true, "\(told)")
    }
}
