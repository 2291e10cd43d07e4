import RecordLog
import Simulation
import Sinks
import TestSupport
import Testing

@Suite("Sinks while the brokers are away")
struct SinkOutageTests {
    private let memory = MemoryCluster()
    private let clock = SteppingClock()

    @Test("a running sink asks to be stopped every few seconds, and goes on after the outage")
    func running() throws {
        memory.createTopic("timelines", partitions: 1)
        let cluster = OutageCluster(memory, clock)
        var asked: [Duration] = []
        var failures = 0
        let summary = try run(
            cluster,
            stop: {
                asked.append(clock.now)
                clock.now += .seconds(1)
                cluster.isAway = (20..<100).contains(asked.count)
                return asked.count > 200
            }, notice: { if case .log = $0 { failures += 1 } })
        #expect(summary.wasStopped && failures > 0)
        let longest = zip(asked, asked.dropFirst()).map { $1 - $0 }.max() ?? .zero
        #expect(longest <= .seconds(5), "\(longest)")
    }

    @Test("a sink that starts in an outage is stopped in order, and waits for half a minute else")
    func starting() throws {
        memory.createTopic("timelines", partitions: 1)
        let cluster = OutageCluster(memory, clock)
        cluster.isAway = true
        var asked = 0
        let summary = try run(
            cluster,
            stop: {
                asked += 1
                return asked >= 2
            })
        #expect(summary.wasStopped && clock.now < .seconds(6), "\(clock.now)")
        #expect(throws: SinkRunError.self) { try run(cluster, stop: { false }) }
        // It is back before the patience is over.
        let begin = clock.now
        _ = try run(
            cluster,
            stop: {
                if clock.now - begin > .seconds(15) { cluster.isAway = false }
                return clock.now - begin > .seconds(60)
            })
    }

    @Test("brokers that do not take a dead letter are waited for as brokers, told once, and not as the target")
    func deadLettersAway() throws {
        for topic in ["timelines", "letters"] { memory.createTopic(topic, partitions: 1) }
        memory.appendKeyed("timelines", key: "a", value: "1")
        let away = LogError(.unreachable, name: "_ALL_BROKERS_DOWN", "no broker", isRetriable: true)
        memory.inject(away, into: .plainProduce, times: 3)
        let sink = RecordingSink()
        sink.failures = [.unusable(BadRecord("not here"))]
        var settings = SinkSettings(topic: "timelines")
        settings.reading.untilCaughtUp = true
        settings.deadLettersTopic = "letters"
        var (awaited, backs, held): ([String], Int, Int) = ([], 0, 0)
        let runner = try SinkRunner(
            cluster: memory, sink: sink, settings: settings, clock: clock,
            notice: { notice in
                switch notice {
                case .awaiting(let error): awaited.append(error.message)
                case .brokersBack: backs += 1
                case .holding, .resumed: held += 1
                default: break
                }
            })
        #expect(try runner.run().unusable == 1 && memory.records("letters").count == 1)
        #expect(awaited == ["cannot write a dead letter to letters: no broker"] && backs == 1 && held == 0)
    }

    @Test("while the target is away at the start, nobody knows how far the run is; then it says so")
    func targetAway() throws {
        memory.createTopic("timelines", partitions: 1)
        memory.appendKeyed("timelines", key: "a", value: "1")
        let sink = RecordingSink()
        let fault = SinkFault(place: "redis://host", operation: "read", reason: "it is away")
        sink.failuresAtStart = Array(repeating: .unavailable(fault), count: 5)
        var settings = SinkSettings(topic: "timelines")
        settings.reading.untilCaughtUp = true
        settings.reading.lagInterval = .seconds(1)
        var told: [SinkProgress<SinkSummary>] = []
        _ = try SinkRunner(
            cluster: memory, sink: sink, settings: settings, clock: clock, progress: { told.append($0) }
        ).run()
        let before = told.prefix { !$0.hasBegun }
        #expect(before.count > 5 && before.allSatisfy { $0.lag == nil }, "\(before)")
        let after = told.dropFirst(before.count)
        #expect(!after.isEmpty && after.allSatisfy { $0.hasBegun && $0.lag == 0 }, "\(after)")
    }

    @Test(
        "once its target was waited for, or was set back, it outlasts the brokers, says so once, and for how long",
        arguments: [true, false])
    func brokersAwayLater(isSetBack: Bool) throws {
        memory.createTopic("timelines", partitions: 1)
        memory.appendKeyed("timelines", key: "a", value: TimelineSinkContract.timeline("a", revision: 1))
        let cluster = OutageCluster(memory, clock)
        let sink = RecordingSink()
        let fault = SinkFault(place: "redis://host", operation: "write to", reason: "it is away")
        if isSetBack {
            sink.failures = [.setBack(fault)]
        } else {
            sink.failuresAtStart = Array(repeating: .unavailable(fault), count: 8)
        }
        var awaySince: Duration?
        var failures = 0
        var lengths: [Duration] = []
        let summary = try run(
            cluster, sink,
            stop: {
                if let awaySince, clock.now - awaySince > .seconds(45) { cluster.isAway = false }
                return clock.now > .seconds(180)
            },
            notice: { notice in
                switch notice {
                case .setBack, .resumed:
                    awaySince = clock.now
                    cluster.isAway = true
                case .awaiting: failures += 1
                case .brokersBack(let length): lengths.append(length)
                default: break
                }
            })
        #expect(summary.wasStopped && awaySince != nil && sink.writes.count == 1)
        #expect(failures == 1 && lengths.count == 1 && lengths.allSatisfy { $0 >= .seconds(45) }, "\(lengths)")
    }

    @Test("set back while its topic is missing, it says once what it waits for, and asks for it ever more seldom")
    func topicMissing() throws {
        memory.createTopic("timelines", partitions: 1)
        let timeline = TimelineSinkContract.timeline("a", revision: 1)
        memory.appendKeyed("timelines", key: "a", value: timeline)
        let cluster = OutageCluster(memory, clock)
        let sink = RecordingSink()
        sink.failures = [.setBack(SinkFault(place: "redis://host", operation: "write to", reason: "it was set back"))]
        var missingSince: Duration?
        var asked = 0
        var told: [LogError.Code] = []
        var backs = 0
        _ = try run(
            cluster, sink,
            stop: {
                if let since = missingSince, clock.now - since > .seconds(120) {
                    asked = cluster.requests
                    missingSince = nil
                    memory.createTopic("timelines", partitions: 1)
                    memory.appendKeyed("timelines", key: "a", value: timeline)
                }
                return clock.now > .seconds(180)
            },
            notice: { notice in
                switch notice {
                case .setBack:
                    memory.deleteTopic("timelines")
                    missingSince = clock.now
                    cluster.requests = 0
                case .awaiting(let error): told.append(error.code)
                case .brokersBack: backs += 1
                default: break
                }
            })
        #expect(told == [.unknownTopicOrPartition] && backs == 1 && sink.writes == [timeline])
        #expect((10...40).contains(asked), "\(asked)")
    }

    private func run(
        _ cluster: OutageCluster, _ sink: RecordingSink = RecordingSink(), stop: @escaping () -> Bool,
        notice: @escaping (SinkNotice) -> Void = { _ in }
    ) throws -> SinkSummary {
        try SinkRunner(
            cluster: cluster, sink: sink, settings: SinkSettings(topic: "timelines"), clock: clock,
            shouldStop: {
                clock.now += .milliseconds(200)
                return stop()
            }, notice: notice
        ).run()
    }
}

/// A cluster whose brokers can be away: then each request of an admin takes all of its time, and fails.
final class OutageCluster: Cluster, @unchecked Sendable {
    private let memory: MemoryCluster
    private let clock: SteppingClock
    var isAway = false
    /// The requests of admins.
    var requests = 0

    init(_ memory: MemoryCluster, _ clock: SteppingClock) {
        self.memory = memory
        self.clock = clock
    }

    fileprivate func check(_ timeout: Duration) throws(LogError) {
        requests += 1
        guard isAway else { return }
        clock.wait(for: timeout)
        throw LogError(.timedOut, name: "_TIMED_OUT", "Timed out", isRetriable: true)
    }

    func makeAdmin() throws(LogError) -> any Admin { OutageAdmin(self, try memory.makeAdmin()) }

    func makeConsumer(group: String?, isolation: IsolationLevel, clientId: String) throws(LogError) -> any Consumer {
        try memory.makeConsumer(group: group, isolation: isolation, clientId: clientId)
    }

    func makeTransactionalProducer(transactionalId: String, clientId: String) throws(LogError)
        -> any TransactionalProducer
    {
        try memory.makeTransactionalProducer(transactionalId: transactionalId, clientId: clientId)
    }

    func makePlainProducer(clientId: String) throws(LogError) -> any PlainProducer {
        try memory.makePlainProducer(clientId: clientId)
    }
}

private final class OutageAdmin: ForwardingAdmin {
    let base: any Admin
    private let cluster: OutageCluster

    init(_ cluster: OutageCluster, _ base: any Admin) {
        self.cluster = cluster
        self.base = base
    }

    func willForward(timeout: Duration) throws(LogError) { try cluster.check(timeout) }
}
