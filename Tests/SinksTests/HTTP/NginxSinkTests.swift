import Foundation
import HTTPClient
import RecordLog
import Simulation
import Sinks
import SplitMix
import TestSupport
import Testing

/// A real server, a real client: what nginx holds as files is compared with what the topic says.
@Suite("The sink of timelines over HTTP, into nginx", .serialized)
struct NginxSinkTests {
    @Test("nginx is down at the start and killed in the middle, the sink is stopped anywhere: files equal the topic")
    func outages() async throws {
        let (held, expected, summary) = try await onItsOwnThread {
            let world = try NginxWorld(seed: 18)
            for round in 0..<12 {
                world.append(150)
                try world.run(outageAfter: round % 3 == 2 ? nil : 5 + round, stopAfter: 40 + 20 * round)
            }
            try world.runToEnd()
            return (try world.held(), world.expected(), world.summary)
        }
        #expect(held == expected && expected.count > 50)
        #expect(summary.outages > 6 && summary.stops > 6)
    }

    @Test("ids with signs, slashes and letters of other alphabets lie where they say, and go away again")
    func names() async throws {
        let ids = ["a b", "a/b c", "100%", "r\u{E9}p?x=1&y#z", "..a", "a+b", "\u{1F68C}", "~.-_"]
        let (there, gone, letters) = try await onItsOwnThread {
            let world = try NginxWorld(seed: 1)
            for id in ids + ["../escaped", "a//b"] { world.stage.append(id, 1) }
            try world.runToEnd()
            let there = try world.held().keys.sorted()
            for id in ids { world.stage.append(id, value: nil) }
            try world.runToEnd()
            return (there, try world.held().keys.sorted(), world.stage.deadLetters)
        }
        #expect(there == ids.sorted() && gone.isEmpty)
        #expect(letters.count == 2)
        #expect(letters.allSatisfy { $0.contains(", field configurationId: cannot stand in a path") })
    }

    @Test("a disk that is full: nothing is a dead letter, all waits, and it lies there whole when there is room")
    func fullDisk() async throws {
        let (before, held, expected, told, letters) = try await onItsOwnThread {
            let world = try NginxWorld(seed: 3)
            for id in ["a", "b", "c"] { world.stage.append(id, 1) }
            try world.nginx.start(fileSizeMax: 64)
            var rounds = 0
            _ = try world.sink(until: {
                rounds += 1
                return rounds > 2000 || world.told.contains { $0.contains("status 500") }
            })
            let before = try world.held()
            world.nginx.kill()
            try world.runToEnd()
            return (before, try world.held(), world.expected(), world.told, world.stage.deadLetters)
        }
        #expect(before.isEmpty && told.contains { $0.contains("status 500") }, "\(told)")
        #expect(held == expected && held.count == 3 && letters.isEmpty)
    }

    @Test("two sinks at one target: the second takes the first one's place, and files equal the topic")
    func two() async throws {
        let (held, expected, failure) = try await onItsOwnThread {
            let world = try NginxWorld(seed: 2)
            world.append(50)
            var failure = ""
            var rounds = 0
            do {
                try world.nginx.start()
                _ = try world.sink(until: {
                    rounds += 1
                    if rounds == 20 { try? world.runToEnd() }
                    if rounds % 20 == 5 { world.append(10) }
                    return rounds > 2000
                })
            } catch {
                failure = "\(error)"
            }
            try world.runToEnd()
            return (try world.held(), world.expected(), failure)
        }
        #expect(failure.contains("another instance of the sink"), "\(failure)")
        #expect(held == expected)
    }
}

/// A topic of timelines in memory, nginx, and what was done to both. One thread owns it.
private final class NginxWorld {
    let stage = TimelineStage(partitions: 3)
    let nginx: NginxServer
    private(set) var summary = (outages: 0, stops: 0)
    /// What the sink said.
    private(set) var told: [String] = []
    private var random: SplitMix64
    private var revision = 0
    private var instances = 0

    init(seed: UInt64) throws {
        nginx = try NginxServer()
        random = SplitMix64(seed: seed)
    }

    /// Appends records of 80 configurations: timelines, tombstones, timelines of other sinks, and no timelines.
    func append(_ count: Int) {
        for _ in 0..<count {
            let id = "c/\(random.next() % 80)"
            revision += 1
            switch random.next() % 20 {
            case 0: stage.append(id, value: nil)
            case 1: stage.append(id, revision, sinks: "files")
            case 2: stage.append(id, value: "no timeline")
            default: stage.append(id, revision)
            }
        }
    }

    /// What the topic says: the newest of each configuration that can be sent, if it is for this sink.
    func expected() -> [String: String] {
        var expected: [String: String] = [:]
        for record in stage.cluster.records(TimelineStage.timelines) {
            let id = String(decoding: record.key ?? [], as: UTF8.self)
            let value = record.value.map { String(decoding: $0, as: UTF8.self) }
            if value == "no timeline" { continue }
            expected[id] = record.header("ce_sinks") == "files" ? nil : value
        }
        return expected
    }

    func held() throws -> [String: String] { try nginx.contents().mapValues { String(decoding: $0, as: UTF8.self) } }

    /// Runs the sink until it is stopped after so many rounds; nginx, which is down at first, comes and goes.
    func run(outageAfter: Int?, stopAfter: Int) throws {
        nginx.kill()
        var rounds = 0
        _ = try sink(until: {
            rounds += 1
            if rounds == 3, !self.nginx.isRunning { try? self.nginx.start() }
            if let outageAfter, rounds == outageAfter + 3 {
                self.nginx.kill()
                self.summary.outages += 1
            }
            if let outageAfter, rounds > outageAfter + 12, !self.nginx.isRunning { try? self.nginx.start() }
            return rounds > stopAfter
        })
        summary.stops += 1
    }

    func runToEnd() throws {
        if !nginx.isRunning { try nginx.start() }
        _ = try sink(until: { false }, isWhole: true)
    }

    func sink(until shouldStop: @escaping () -> Bool, isWhole: Bool = false) throws -> DeliverySummary {
        guard let secret = WebhookSecret(String(repeating: "s", count: 32)) else { preconditionFailure("32 bytes") }
        let address = try TimelineAddress("http://127.0.0.1:\(nginx.port)/{configurationId}")
        var settings = DeliverySettings(
            name: "http", application: "app", topic: TimelineStage.timelines,
            deadLettersTopic: ReloadStage.deadLetters)
        settings.reading.untilCaughtUp = isWhole
        settings.reading.batchMaximum = 40
        settings.reading.pollTimeout = .milliseconds(5)
        settings.pace.backoff.first = .milliseconds(20)
        settings.pace.backoff.most = .milliseconds(100)
        settings.drainTimeout = .zero
        settings.absenceMin = .milliseconds(100)
        instances += 1
        return try SinkRunner(
            cluster: stage.cluster,
            destination: HTTPTimelines(HTTPTimelinesSettings(address: address, secret: secret)),
            transport: HTTPClient(), settings: settings, instance: "nginx-\(instances)", clock: RunningClock(),
            random: { 0.5 }, shouldStop: shouldStop, notice: { [unowned self] in told.append($0.description) }
        ).run()
    }
}

/// The machine's clock.
private final class RunningClock: DeliveryClock {
    private let begin = ContinuousClock.now

    var now: Duration { ContinuousClock.now - begin }
    var wall: Instant { Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

    func wait(for duration: Duration) { Thread.sleep(forTimeInterval: duration / .seconds(1)) }
}
