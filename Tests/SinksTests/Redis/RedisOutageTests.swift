import Foundation
import RecordLog
import Redis
import Simulation
import Sinks
import TestSupport
import Testing

/// The Redis fails in the middle of a run, as real ones do.
@Suite("The Redis sink while its Redis is ill")
struct RedisOutageTests {
    private typealias Contract = TimelineSinkContract

    private let cluster = MemoryCluster()
    private let clock = RealClock()
    private let topic = "timelines"

    init() { cluster.createTopic(topic, partitions: 1) }

    private func append(_ id: String, _ revision: Int, padding: Int = 0) {
        let value = Contract.timeline(id, revision: revision, minute: revision)
            .replacing(#""phase":"tick""#, with: #""phase":"tick","x":"\#(String(repeating: "x", count: padding))""#)
        cluster.append(topic, 0, key: id, value: value)
    }

    /// Runs until all is written.
    ///
    /// - Parameter notice: what is told; here a test hurts and mends the Redis.
    @discardableResult
    private func run(
        _ redis: RedisProcess, untilCaughtUp: Bool = true, batch: Int = 100, answer: Duration = .seconds(10),
        stop: @escaping () -> Bool = { false },
        notice: @escaping (SinkNotice) -> Void = { _ in }
    ) throws -> SinkSummary {
        var settings = SinkSettings(topic: topic)
        settings.reading.untilCaughtUp = untilCaughtUp
        settings.reading.batchMaximum = batch
        settings.reading.pollTimeout = .milliseconds(10)
        settings.retryDelay = .milliseconds(50)
        settings.retryDelayMax = .milliseconds(200)
        return try SinkRunner(
            cluster: cluster, sink: try redis.sink(answer: answer), settings: settings, clock: clock,
            shouldStop: stop, notice: notice
        ).run()
    }

    private func run(_ redis: RedisProcess, batch: Int = 100, telling notice: @escaping (SinkNotice) -> Void) throws
        -> SinkSummary
    {
        try run(redis, untilCaughtUp: true, batch: batch, notice: notice)
    }

    private func revision(_ redis: RedisProcess, _ id: String) throws -> String {
        let value = try redis.cli("GET", "tideline:timeline:\(id)")
        return String(value.firstMatch(of: /"revision":([0-9]+)/)?.1 ?? "none")
    }

    @Test("away at the start and for long: it holds, says so, and goes on by itself")
    func awayAtTheStart() throws {
        let redis = try RedisProcess()
        redis.kill()
        append("a", 1)
        var (held, resumed) = (0, 0)
        let summary = try run(
            redis,
            telling: { notice in
                switch notice {
                case .holding(let error, _):
                    held += 1
                    #expect("\(error)".contains("cannot connect to \(redis.address): Connection refused"))
                    if held == 6 { #expect(throws: Never.self) { try redis.start() } }
                case .resumed: resumed += 1
                default: Issue.record("\(notice)")
                }
            })
        #expect(held >= 6 && resumed == 1 && summary.written == 1)
        #expect(try revision(redis, "a") == "1")
    }

    @Test("stopped while the Redis is away: it ends in order, with nothing written")
    func stoppedWhileAway() throws {
        let redis = try RedisProcess()
        redis.kill()
        append("a", 1)
        var held = 0
        let summary = try run(redis, stop: { held > 2 }) { _ in held += 1 }
        #expect(summary.wasStopped && summary.written == 0)
    }

    @Test(
        "killed and restarted between batches, again and again: with a log of its own it has all, each once",
        .timeLimit(.minutes(10)))
    func killedWithLog() throws {
        let redis = try RedisProcess(["--save", "", "--appendonly", "yes", "--appendfsync", "always"])
        for number in 0..<50 { append("c\(number)", 1) }
        var batches = 0
        let summary = try run(
            redis, batch: 10,
            stop: {
                batches += 1
                if batches % 2 == 0 {
                    redis.kill()
                    #expect(throws: Never.self) { try redis.start() }
                }
                return false
            }, notice: { if case .setBack = $0 { Issue.record("\($0)") } })
        // A commit that was done, and whose answer did not come, is found to be done.
        #expect(summary.written + summary.unchanged == 50 && summary.startedOver == 0)
        #expect(try redis.cli("XLEN", "tideline:changes") == "50")
        #expect(try redis.cli("KEYS", "tideline:timeline:*").split(separator: "\n").count == 50)
    }

    @Test("restarted empty: it notices that the positions are gone, even while nothing comes, and writes all again")
    func restartedEmpty() throws {
        let redis = try RedisProcess()
        append("a", 1)
        append("b", 1)
        var (rounds, setBack) = (0, 0)
        let summary = try run(
            redis, untilCaughtUp: false,
            stop: {
                rounds += 1
                if rounds == 20 {
                    redis.kill()
                    #expect(throws: Never.self) { try redis.start() }
                }
                return rounds > 20 && setBack > 0 && (try? revision(redis, "b")) == "1" || clock.now > .seconds(120)
            }, notice: { if case .setBack = $0 { setBack += 1 } })
        #expect(setBack == 1 && clock.now < .seconds(120) && summary.written == 4)
        #expect(try revision(redis, "a") == "1")
    }

    @Test("restarted with an older dump: it goes on from the positions of that dump")
    func restartedOlder() throws {
        let redis = try RedisProcess()
        append("a", 1)
        try run(redis)
        try redis.cli("SAVE")
        append("b", 1)
        append("a", 2)
        try run(redis)
        append("c", 1)
        var (rounds, notices) = (0, [String]())
        let summary = try run(
            redis, untilCaughtUp: false,
            stop: {
                rounds += 1
                if rounds == 20 {
                    redis.kill()
                    #expect(throws: Never.self) { try redis.start() }
                    #expect((try? revision(redis, "a")) == "1")
                    append("d", 1)
                }
                return rounds > 20 && (try? revision(redis, "d")) == "1" || clock.now > .seconds(120)
            }, notice: { if case .setBack = $0 { notices.append("\($0)") } })
        #expect(notices.count == 1 && notices[0].contains("its positions are others than it has acknowledged"))
        // c at first; then b, a, c and d, but not the a that the dump had.
        #expect(summary.written == 5)
        for (id, revision) in [("a", "2"), ("b", "1"), ("c", "1"), ("d", "1")] {
            #expect(try self.revision(redis, id) == revision)
        }
        #expect(try run(redis).records == 0)
    }

    @Test("emptied by somebody while it runs: the lock is gone as well, and all is written again")
    func flushed() throws {
        let redis = try RedisProcess()
        append("a", 1)
        var (rounds, setBack) = (0, 0)
        try run(
            redis, untilCaughtUp: false,
            stop: {
                rounds += 1
                if rounds == 20 { _ = try? redis.cli("FLUSHALL") }
                return rounds > 20 && (try? revision(redis, "a")) == "1" || clock.now > .seconds(120)
            }, notice: { if case .setBack = $0 { setBack += 1 } })
        #expect(setBack == 1 && clock.now < .seconds(120))
    }

    @Test("slow: a Redis that does not answer is told after the time-out, and waited for")
    func slow() throws {
        let redis = try RedisProcess()
        append("a", 1)
        var isPaused = false
        var reasons: Set<String> = []
        let summary = try run(
            redis, answer: .milliseconds(500),
            stop: {
                if !isPaused { isPaused = (try? redis.cli("CLIENT", "PAUSE", "5000")) == "OK" }
                return false
            }, notice: { if case .holding(let error, _) = $0 { reasons.insert("\(error)") } })
        #expect(reasons.contains { $0.contains("no answer within 0.5 seconds") }, "\(reasons)")
        #expect(summary.written == 1)
    }

    @Test("full (maxmemory, noeviction): nothing of the batch is there; with room it is written as a whole")
    func full() throws {
        let redis = try RedisProcess(["--save", "", "--maxmemory", "3mb", "--maxmemory-policy", "noeviction"])
        for number in 0..<200 { append("c\(number)", 1, padding: 20_000) }
        var held: [String] = []
        let summary = try run(
            redis, batch: 1000,
            telling: { notice in
                guard case .holding(let error, _) = notice else { return }
                held.append("\(error)")
                if held.count == 3 {
                    #expect((try? redis.cli("KEYS", "tideline:timeline:*")) == "")
                    #expect(throws: Never.self) { try redis.cli("CONFIG", "SET", "maxmemory", "0") }
                }
            })
        #expect(held.count == 3 && held.allSatisfy { $0.contains("OOM command not allowed") }, "\(held)")
        #expect(summary.written == 200)
        #expect(try redis.cli("KEYS", "tideline:timeline:*").split(separator: "\n").count == 200)
    }

    @Test("full, where keys that expire may go (volatile-ttl): the lock goes, and each record is still written once")
    func fullWithoutLock() throws {
        let redis = try RedisProcess(["--save", "", "--maxmemory", "3mb", "--maxmemory-policy", "volatile-ttl"])
        for number in 0..<200 { append("c\(number)", 1, padding: 20_000) }
        var held = 0
        let summary = try run(
            redis, batch: 1000,
            telling: { notice in
                guard case .holding = notice else { return }
                held += 1
                guard held == 3 else { return }
                #expect((try? redis.cli("KEYS", "tideline:timeline:*")) == "")
                #expect(throws: Never.self) { try redis.cli("CONFIG", "SET", "maxmemory", "0") }
            })
        #expect(held >= 3 && summary.written == 200)
        #expect(try !redis.cli("INFO", "stats").contains("evicted_keys:0"))
        #expect(try redis.cli("KEYS", "tideline:timeline:*").split(separator: "\n").count == 200)
        #expect(try redis.cli("XLEN", "tideline:changes") == "200")
    }

    @Test(
        "a value that the Redis does not take is left out by name, the others of its batch are written",
        arguments: [[], ["--rename-command", "CONFIG", ""]])
    func refusedValue(options: [String]) throws {
        let redis = try RedisProcess(["--save", "", "--proto-max-bulk-len", "1mb"] + options)
        append("a", 1)
        append("long", 1, padding: 2_000_000)
        append("b", 1)
        var told: [String] = []
        let summary = try run(redis, telling: { told.append("\($0)") })
        #expect(summary.written == 2 && summary.unusable == 1)
        let left = told.filter { $0.contains("cannot be written") }
        try #require(left.count == 1, "\(told)")
        #expect(left[0].contains("configuration long: the value has"), "\(told)")
        #expect(left[0].contains("proto-max-bulk-len"))
        // One that does not say its limit may hang up before its answer is read.
        if options.isEmpty { #expect(told == left) }
        #expect(try redis.cli("KEYS", "tideline:timeline:*").split(separator: "\n").count == 2)
    }

    @Test("many versions of a configuration that cannot be written are asked for together, and not one by one")
    func longChain() throws {
        let redis = try RedisProcess()
        append("a", 1)
        for number in 0..<300 { cluster.append(topic, 0, key: "a", value: "no timeline \(number)") }
        for number in 0..<50 { append("c\(number)", 1) }
        let summary = try run(redis, batch: 1_000)
        #expect(summary.written == 51 && summary.unusable == 300)
        #expect(try revision(redis, "a") == "1")
        let calls = try redis.cli("INFO", "commandstats").firstMatch(of: /cmdstat_mget:calls=([0-9]+)/)
        #expect(calls.flatMap { Int($0.1) }.map { $0 <= 2 } == true, "\(String(describing: calls?.0))")
    }

    @Test("killed between the writes and the commit, and stopped while it waits: nothing is there twice, nothing lost")
    func interrupted() throws {
        let redis = try RedisProcess(["--save", "", "--appendonly", "yes", "--appendfsync", "always"])
        for number in 0..<10 { append("c\(number)", 1) }
        var held = 0
        redis.signal(SIGSTOP)
        let summary = try run(redis, answer: .milliseconds(500), stop: { held > 0 }) {
            if case .holding = $0 { held += 1 }
        }
        redis.signal(SIGCONT)
        #expect(summary.wasStopped && summary.written == 0)
        #expect(try run(redis).written == 10)
        #expect(try redis.cli("XLEN", "tideline:changes") == "10")
    }
}

private final class RealClock: BlockingClock {
    private let begin = ContinuousClock.now
    var now: Duration { ContinuousClock.now - begin }
    func wait(for duration: Duration) { usleep(UInt32(max(0, duration / .microseconds(1)))) }
}
