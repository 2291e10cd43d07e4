import Foundation
import RecordLog
import Redis
import Sinks
import TestSupport
import Testing

/// Each test has a Redis of its own.
@Suite("The Redis sink")
struct RedisSinkTests {
    private typealias Contract = TimelineSinkContract

    private let redis: RedisProcess

    init() throws { redis = try RedisProcess() }

    private func sink(_ owner: String = "test", lease: Duration = .seconds(5)) throws -> RedisSink {
        try redis.sink(owner, lease: lease)
    }

    private func write(_ id: String, _ revision: Int, offset: Int64, to sink: RedisSink) throws -> SinkOutcome {
        try sink.write(Contract.record(id, Contract.timeline(id, revision: revision, minute: revision), offset: offset))
    }

    @Test("keeps the contract of all sinks")
    func contract() throws {
        try TimelineSinkContract(
            reopen: { try sink() },
            content: { id in
                try redis.cli("EXISTS", "tideline:timeline:\(id)") == "1"
                    ? redis.cli("GET", "tideline:timeline:\(id)") : nil
            }
        ).check()
    }

    @Test("a removal that no record tells of is in the stream without partition and offset")
    func removedWithoutRecord() throws {
        let sink = try sink()
        _ = try sink.positions(of: "timelines")
        #expect(try write("a", 1, offset: 0, to: sink) == .written)
        try sink.keep([:], of: "timelines")
        #expect(try redis.cli("XREVRANGE", "tideline:changes", "+", "-", "COUNT", "1").contains("offset"))
        #expect(try sink.write(Contract.record("a", nil, offset: -1)) == .removed)
        try sink.keep([:], of: "timelines")
        let last = try redis.cli("XREVRANGE", "tideline:changes", "+", "-", "COUNT", "1")
        #expect(last.contains("removed") && !last.contains("offset"), "\(last)")
    }

    @Test("what was not committed with its positions is not there: a killed sink goes on as if it had not been")
    func exactlyOnce() throws {
        do {
            let sink = try sink()
            _ = try write("a", 1, offset: 0, to: sink)
            try sink.keep([0: SinkPosition(next: Offset(1))], of: "timelines")
            _ = try write("a", 2, offset: 1, to: sink)
            _ = try write("b", 1, offset: 2, to: sink)
            try sink.flush()
        }
        #expect(try sink().positions(of: "timelines") == [0: SinkPosition(next: Offset(1))])
        #expect(try redis.cli("GET", "tideline:timeline:a") == Contract.timeline("a", revision: 1, minute: 1))
        #expect(try redis.cli("EXISTS", "tideline:timeline:b") == "0")
    }

    @Test("a recipient's set has the configurations that are theirs, and the stream every change, in order")
    func readers() throws {
        let sink = try sink()
        for (offset, (id, revision, recipient)) in [("a", 1, "ana"), ("b", 1, "ana"), ("a", 2, "bo")].enumerated() {
            let value = Contract.timeline(id, revision: revision, minute: revision).replacing(
                #""recipient":"r""#, with: #""recipient":"\#(recipient)""#)
            _ = try sink.write(Contract.record(id, value, offset: Int64(offset)))
            try sink.keep([:], of: "timelines")
        }
        _ = try sink.write(Contract.record("b", nil, offset: 3))
        try sink.keep([:], of: "timelines")
        #expect(try redis.cli("SMEMBERS", "tideline:recipient:ana") == "")
        #expect(try redis.cli("SMEMBERS", "tideline:recipient:bo") == "a")
        let changes = try redis.cli("XRANGE", "tideline:changes", "-", "+").split(separator: "\n")
        let told = changes.filter { ["written", "removed", "a", "b"].contains($0) }
        #expect(told == ["written", "a", "written", "b", "written", "a", "removed", "b"])
        #expect(changes.count == 4 * 15)
        #expect(changes.suffix(6) == ["revision", "1", "partition", "0", "offset", "3"])
    }

    @Test("a batch of two of one configuration, and an id of any bytes")
    func withinOneBatch() throws {
        let sink = try sink()
        #expect(try write("a", 1, offset: 0, to: sink) == .written)
        #expect(try write("a", 2, offset: 1, to: sink) == .written)
        #expect(try write("a", 1, offset: 2, to: sink) == .unchanged)
        #expect(try sink.write(Contract.record("a", nil, offset: 3)) == .removed)
        #expect(try sink.write(Contract.record("a", nil, offset: 4)) == .unchanged)
        let value = Contract.timeline("x", revision: 1)
        #expect(try sink.write(Contract.record("ä😀\u{0} b", value, offset: 5)) == .written)
        try sink.keep([:], of: "timelines")
        #expect(try redis.cli("KEYS", "tideline:timeline:*") == "tideline:timeline:ä😀\u{0} b")
    }

    @Test("keys of another type are named before anything is written")
    func foreignKeys() throws {
        try redis.cli("RPUSH", "tideline:recipient:r", "x")
        let first = try sink()
        #expect { try write("a", 1, offset: 0, to: first) } throws: {
            "\($0)".contains("key tideline:recipient:r is not a set: remove it") && !$0.isUnavailable
        }
        first.close()
        try redis.cli("SET", "tideline:changes", "x")
        #expect { try sink().positions(of: "timelines") } throws: {
            "\($0)".contains("key tideline:changes is not a stream: remove it") && !$0.isUnavailable
        }
        #expect(try redis.cli("KEYS", "tideline:timeline:*") == "")
    }

    @Test("a transaction whose answer was lost is not done again, whether the Redis had come to it or not")
    func lostAnswer() throws {
        let sink = try redis.sink(answer: .milliseconds(300))
        // A Redis that has just gone on may be late with other answers, too.
        func answered(_ body: () throws -> Void) throws {
            while true {
                do {
                    return try body()
                } catch {
                    try #require(error.isUnavailable, "\(error)")
                    sink.rollBack()
                }
            }
        }
        try answered { _ = try sink.positions(of: "timelines") }
        for round in 0..<10 {
            try answered { _ = try write("a", round + 1, offset: Int64(round), to: sink) }
            redis.signal(SIGSTOP)
            let places = [Partition(0): SinkPosition(next: Offset(Int64(round + 1)))]
            #expect { try sink.keep(places, of: "timelines") } throws: { $0.isUnavailable }
            sink.rollBack()
            redis.signal(SIGCONT)
            try answered {
                _ = try write("a", round + 1, offset: Int64(round), to: sink)
                try sink.keep(places, of: "timelines")
            }
            #expect(try redis.cli("XLEN", "tideline:changes") == "\(round + 1)")
        }
    }

    // MARK: - Two sinks

    @Test("the second sink waits until it has seen that the first lives, and is refused by name")
    func second() throws {
        let first = try sink("the first", lease: .seconds(20))
        _ = try first.positions(of: "timelines")
        let second = try sink("the second", lease: .seconds(20))
        #expect { try second.positions(of: "timelines") } throws: { $0.isUnavailable && "\($0)".contains("the first") }
        // It renews the lock although there is nothing to write, once a quarter of the lease is over.
        usleep(5_200_000)
        try first.renew()
        #expect { try second.positions(of: "timelines") } throws: {
            !$0.isUnavailable && "\($0)".contains("another sink writes there (the first)")
        }
        first.close()
        #expect(try second.positions(of: "timelines").isEmpty)
    }

    @Test("a batch that takes longer than the lock lasts is written when it comes again: the lock lasts longer")
    func longBatch() throws {
        let sink = try sink("slow", lease: .seconds(1))
        func batch() throws {
            _ = try write("a", 1, offset: 0, to: sink)
            usleep(1_050_000)
            try sink.keep([0: SinkPosition(next: Offset(1))], of: "timelines")
        }
        #expect { try batch() } throws: { $0.isUnavailable && "\($0)".contains("has expired") }
        sink.rollBack()
        // On a slow machine once more, with a lock that lasts longer again.
        for _ in 0..<5 {
            do {
                try batch()
                break
            } catch {
                try #require(error.isUnavailable, "\(error)")
                sink.rollBack()
            }
        }
        #expect(try sink.positions(of: "timelines") == [0: SinkPosition(next: Offset(1))])
    }

    @Test("the lock of a sink that was killed ends by itself; if that sink was only slow, it never writes again")
    func fenced() async throws {
        let first = try sink("the first", lease: .milliseconds(1500))
        _ = try write("a", 1, offset: 0, to: first)
        let second = try sink("the second", lease: .seconds(60))
        let isTaken = await eventually(within: .seconds(120)) { (try? second.positions(of: "timelines")) != nil }
        #expect(isTaken)
        _ = try write("a", 2, offset: 1, to: second)
        try second.keep([0: SinkPosition(next: Offset(2))], of: "timelines")
        // Its transaction began before it lost the lock.
        #expect { try first.keep([0: SinkPosition(next: Offset(1))], of: "timelines") } throws: { $0.isUnavailable }
        first.rollBack()
        #expect { try write("a", 1, offset: 0, to: first) } throws: {
            !$0.isUnavailable && "\($0)".contains("the second")
        }
        first.close()
        #expect(try redis.cli("GET", "tideline:sink") == "the second")
        #expect(try redis.cli("GET", "tideline:timeline:a").contains(#""revision":2"#))
        #expect(try second.positions(of: "timelines") == [0: SinkPosition(next: Offset(2))])
    }
}

extension RedisProcess {
    /// - Parameter answer: how long an answer is waited for; the tests of what is slow want less.
    func sink(
        _ owner: String = "test", lease: Duration = .seconds(5), credentials: String = "",
        answer: Duration = .seconds(10)
    ) throws -> RedisSink {
        RedisSink(
            try RedisAddress("redis://\(credentials)127.0.0.1:\(port)"), owner: owner, lease: lease,
            timeouts: RedisTimeouts(connect: .seconds(10), answer: answer),
            now: { ContinuousClock.now - RedisProcess.epoch })
    }

    private static let epoch = ContinuousClock.now
}

extension Error {
    var isUnavailable: Bool { (self as? SinkError)?.isRetriable == true }
}
