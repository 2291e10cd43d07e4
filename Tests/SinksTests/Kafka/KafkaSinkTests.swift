import RecordLog
import Simulation
import Sinks
import TestSupport
import Testing

extension MemoryCluster {
    /// A new cluster, which is not the one that is read.
    static var another: MemoryCluster {
        var settings = MemoryCluster.Settings()
        settings.clusterId = "other"
        return MemoryCluster(settings: settings)
    }
}

@Suite("The sink that writes to a topic of another cluster")
struct KafkaSinkTests {
    private typealias Contract = TimelineSinkContract

    private let source = MemoryCluster()
    private let target = MemoryCluster.another
    private let clock = SteppingClock()

    init() {
        target.createTopic("mirror", partitions: 3, settings: [.init("cleanup.policy", "compact")])
        source.createTopic("timelines", partitions: 2)
    }

    private func open(
        _ instance: String = "one", name: String = "kafka", unknownHosts: @escaping () -> [String] = { [] },
        stop: @escaping () -> Bool = { false }
    ) throws -> KafkaSink {
        try KafkaSink(
            cluster: target, source: source,
            KafkaSinkSettings(topic: "mirror", place: "there:9092", source: "timelines"), instance: instance,
            clock: clock, name: name, unknownHosts: unknownHosts, shouldStop: stop)
    }

    @discardableResult
    private func run(
        _ instance: String = "one", name: String = "kafka", stop: @escaping () -> Bool = { false },
        keepsOn: Bool = false, notice: @escaping (SinkNotice) -> Void = { _ in }
    ) throws -> SinkSummary {
        var settings = SinkSettings(topic: "timelines")
        settings.reading.untilCaughtUp = !keepsOn
        settings.reading.batchMaximum = 7
        return try SinkRunner(
            cluster: source, sink: open(instance, name: name, stop: stop), settings: settings, clock: clock,
            shouldStop: stop, notice: notice
        ).run()
    }

    private func append(_ id: String, revision: Int, sinks: String? = nil, isDeleted: Bool = false) {
        let headers = [Header("ce_id", "\(id)/\(revision)")] + (sinks.map { [Header("ce_sinks", $0)] } ?? [])
        source.appendKeyed(
            "timelines", key: id, value: isDeleted ? nil : Contract.timeline(id, revision: revision), headers: headers)
    }

    /// The newest record of each key, as a reader of committed records sees it; tombstones left out.
    private func newest(_ cluster: MemoryCluster, _ topic: String) -> [String: Record] {
        var newest: [String: Record] = [:]
        for record in cluster.records(topic) {
            let key = String(decoding: record.key ?? [], as: UTF8.self)
            newest[key] = record.value == nil ? nil : record
        }
        return newest
    }

    /// True once a sink has opened its positions.
    private var isOpen: Bool {
        target.identity(of: "mirror.positions") != nil && !target.records("mirror.positions").isEmpty
    }

    private func text(_ record: Record?) -> String? { record?.value.map { String(decoding: $0, as: UTF8.self) } }

    /// In a run no record comes again: positions are in the transaction of what was written.
    @Test("keeps the contract of a sink that does not look at what its target holds")
    func contract() throws {
        var number = 0
        try Contract(
            reopen: {
                number += 1
                return try open("instance-\(number)")
            }, content: { text(newest(target, "mirror")[$0]) }, readsItsTarget: false, keepsItsPositions: false
        ).check()
        let sink = try open("last")
        #expect(try sink.positions(of: "timelines").isEmpty && sink.isTransactional)
        let position = SinkPosition(next: Offset(7), cluster: "memory", choice: SinkChoice(name: "e").digest)
        try sink.keep([0: position], of: "timelines")
        #expect(try open("two").positions(of: "timelines") == [0: position])
    }

    @Test("key, value and headers are the record's, the partition is the key's, and positions are in the transaction")
    func mirrors() throws {
        for number in 0..<20 { append("id-\(number)", revision: 1) }
        append("id-3", revision: 2, isDeleted: true)
        append("id-4", revision: 2, sinks: "files")
        append("id-5", revision: 2, sinks: "kafka,files")
        let summary = try run()
        let (mine, theirs) = (newest(target, "mirror"), newest(source, "timelines"))
        #expect(mine.count == 18 && mine["id-3"] == nil && mine["id-4"] == nil)
        for (id, record) in mine {
            #expect(record.value == theirs[id]?.value && record.headers == theirs[id]?.headers)
            #expect(record.partition == Murmur2.partition(of: id, partitions: 3))
        }
        #expect(summary.written + summary.removed + summary.superseded == 23)
        let before = target.records("mirror").count
        #expect(try run("two").records == 0)
        #expect(target.records("mirror").count == before)
    }

    @Test(
        "whatever happens to a commit, each record is there once",
        arguments: [
            TransactionError.retriable(.init(.timedOut, name: "_TIMED_OUT", "no answer", isRetriable: true)),
            .abortable(.init(.other, name: "ABORT", "abort")), .fenced(.init(.other, name: "_FENCED", "timed out")),
            .fatal(.init(.other, name: "_FATAL", "lost")),
        ], [FaultMoment.beforeEffect, .afterEffect])
    func commitFails(error: TransactionError, moment: FaultMoment) throws {
        if case .abortable = error, moment == .afterEffect { return }
        for number in 0..<20 { append("id-\(number)", revision: 1) }
        var isInjected = false
        try run(stop: {
            if !isInjected, isOpen { target.inject(error, into: .commit, moment, times: 2) }
            isInjected = isInjected || isOpen
            return false
        })
        #expect(target.pendingFaults.isEmpty)
        expectEachOnce()
    }

    @Test("ids that only their bytes tell apart are two configurations")
    func bytesTellIdsApart() throws {
        let ids = ["caf\u{E9}", "cafe\u{301}"]
        for id in ids { append(id, revision: 1) }
        #expect(try run().records == 2)
        #expect(Set(target.records("mirror").compactMap(\.key)) == Set(ids.map { Array($0.utf8) }))
    }

    @Test("the newer of two sinks goes on, and the older ends, which says so", arguments: ["kafka", "copy"])
    func fenced(name: String) throws {
        for number in 0..<10 { append("id-\(number)", revision: 1) }
        var (rounds, hasFollower) = (0, false)
        #expect {
            try run(
                stop: {
                    rounds += 1
                    if !hasFollower, !target.records("mirror").isEmpty {
                        hasFollower = true
                        _ = try? run("two", name: name)
                        append("late", revision: 1)
                    }
                    return rounds > 1000
                }, keepsOn: true)
        } throws: { error in
            "\(error)" == "cannot write to topic mirror at there:9092: another sink of this topic has started and goes"
                + " on in its place"
        }
        try run("three", name: name)
        let newest = newest(target, "mirror").mapValues(\.value)
        #expect(newest == self.newest(source, "timelines").mapValues(\.value))
        // A sink of another name has positions of its own, and writes all once more.
        if name == "kafka" { expectEachOnce() }
    }

    @Test("a target that is away holds the position, is told once, and gets all when it is back")
    func away() throws {
        for number in 0..<10 { append("id-\(number)", revision: 1) }
        let away = LogError(.unreachable, name: "_ALL_BROKERS_DOWN", "no broker", isRetriable: true)
        target.inject(away, into: .describeTopics, times: 500)
        var notices: [SinkNotice] = []
        let summary = try run(notice: { notices.append($0) })
        #expect(summary.written == 10)
        let held = notices.compactMap { if case .holding(let error, _) = $0 { error.description } else { nil } }
        #expect(Set(held) == ["cannot write to topic mirror at there:9092: no broker (_ALL_BROKERS_DOWN)"])
        #expect(notices.contains { if case .resumed = $0 { true } else { false } })
        expectEachOnce()
    }

    @Test("while its brokers are away, names that cannot be found are said, and not that nobody answers")
    func unknownHosts() throws {
        let away = LogError(.timedOut, name: "_TIMED_OUT", "no answer", isRetriable: true)
        target.inject(away, into: .describeTopics, times: 500)
        var names = ["kafkaa", "broker-2"]
        let sink = try open(unknownHosts: { names })
        func failure() -> SinkError? {
            do throws(SinkError) {
                _ = try sink.positions(of: "timelines")
                return nil
            } catch {
                return error
            }
        }
        let unknown = failure()
        #expect(unknown?.isRetriable == true && unknown?.isUnknownHost == true)
        #expect(
            unknown?.description == "cannot write to topic mirror at there:9092: the name of the host cannot be found"
                + " (kafkaa, broker-2): see whether the address is spelt right, and DNS answers")
        names = []
        #expect(failure()?.description.hasSuffix("at there:9092: its brokers do not answer in time") == true)
    }

    @Test("records that the target takes for too large are left out by name at once, and their batch is written")
    func tooLarge() throws {
        for id in ["a", "big", "c", "huge"] { append(id, revision: 1) }
        var isInjected = false
        var notices: [SinkNotice] = []
        let summary = try run(
            stop: {
                if !isInjected, isOpen {
                    for id in ["big", "huge"] { target.inject(.abortable(refusal(of: id)), into: .commit) }
                }
                isInjected = isInjected || isOpen
                return false
            }, notice: { notices.append($0) })
        #expect(target.pendingFaults.isEmpty && summary.unusable == 2 && summary.written == 2)
        #expect(Set(newest(target, "mirror").keys) == ["a", "c"])
        let reasons = notices.compactMap { if case .unusable(_, _, let reason) = $0 { reason } else { nil } }
        let told = "mirror takes no record of 2000000 bytes: Broker: Message size too large (MSG_SIZE_TOO_LARGE)"
        #expect(reasons.sorted() == ["configuration big: \(told)", "configuration huge: \(told)"])
        #expect(notices.count == 2, "nothing is waited for: \(notices)")
        #expect(try run("two").records == 0)
    }

    @Test("of two records of a configuration that are too large each is left out, and the one before them is written")
    func tooLargeTwice() throws {
        append("a", revision: 1)
        for revision in 1...3 { append("big", revision: revision) }
        var isInjected = false
        let summary = try run(stop: {
            if !isInjected, isOpen {
                for _ in 0..<2 { target.inject(.abortable(refusal(of: "big")), into: .commit) }
            }
            isInjected = isInjected || isOpen
            return false
        })
        #expect(target.pendingFaults.isEmpty && summary.unusable == 2 && summary.written == 2)
        #expect(text(newest(target, "mirror")["big"]) == Contract.timeline("big", revision: 1))
        #expect(try run("two").records == 0)
    }

    @Test("of many records that are as large as a refused one none is sent, and the one before them is written")
    func tooLargeOften() throws {
        append("big", revision: 1)
        let padding = #""recipient":"\#(String(repeating: "x", count: 20_000))""#
        var bytes = 0
        for revision in 2...7 {
            let value = Contract.timeline("big", revision: revision).replacing(#""recipient":"r""#, with: padding)
            bytes = value.utf8.count + "big".utf8.count
            source.appendKeyed("timelines", key: "big", value: value, headers: [Header("ce_id", "big/\(revision)")])
        }
        var isInjected = false
        let summary = try run(stop: {
            if !isInjected, isOpen { target.inject(.abortable(refusal(of: "big", bytes)), into: .commit) }
            isInjected = isInjected || isOpen
            return false
        })
        #expect(target.pendingFaults.isEmpty && summary.unusable == 6 && summary.written == 1)
        #expect(text(newest(target, "mirror")["big"]) == Contract.timeline("big", revision: 1))
    }

    private func refusal(of id: String, _ bytes: Int = 2_000_000) -> LogError {
        Array(id.utf8).withUnsafeBytes { key in
            LogError(.recordTooLarge, name: "MSG_SIZE_TOO_LARGE", "Broker: Message size too large")
                .refusing(RefusedRecord(topic: "mirror", key: key, bytes: bytes))
        }
    }

    @Test("a topic that is missing or not compacted is refused with the line that mends it")
    func refused() throws {
        target.deleteTopic("mirror")
        #expect {
            try run()
        } throws: { error in
            "\(error)".contains("topic mirror at there:9092: it does not exist")
                && "\(error)".contains("kafka-topics.sh --bootstrap-server there:9092 --create --topic mirror")
        }
        target.createTopic("mirror", partitions: 1)
        #expect {
            try run()
        } throws: { error in
            "\(error)".contains("--entity-name mirror --add-config cleanup.policy=compact")
        }
    }

    @Test("a topic that was made anew gets all again")
    func recreated() throws {
        for number in 0..<10 { append("id-\(number)", revision: 1) }
        try run()
        target.deleteTopic("mirror")
        target.createTopic("mirror", partitions: 5, settings: [.init("cleanup.policy", "compact")])
        #expect(try run("two").written == 10)
        expectEachOnce()
    }

    @Test("so does one that is made anew while the sink runs, with news to write or without", arguments: [true, false])
    func recreatedMeanwhile(hasNews: Bool) throws {
        for number in 0..<10 { append("id-\(number)", revision: 1) }
        var rounds = 0
        var notices: [SinkNotice] = []
        try run(
            stop: {
                rounds += 1
                clock.wait(for: .milliseconds(20))
                if rounds == 50 {
                    target.deleteTopic("mirror")
                    target.createTopic("mirror", partitions: 5, settings: [.init("cleanup.policy", "compact")])
                    if hasNews { append("id-3", revision: 2) }
                }
                return rounds > 1_000
            }, keepsOn: true, notice: { notices.append($0) })
        expectEachOnce()
        let setBacks = notices.filter { if case .setBack = $0 { true } else { false } }
        #expect(setBacks.count == 1 && "\(setBacks)".contains("it was made anew, and is empty"), "\(notices)")
    }

    @Test("whatever fails and whenever it stops, each record is there once", arguments: 0..<30)
    func chance(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var revision = 0
        let errors: [TransactionError] = [
            .retriable(.init(.timedOut, name: "_TIMED_OUT", "no answer", isRetriable: true)),
            .fenced(.init(.other, name: "_FENCED", "timed out")), .fatal(.init(.other, name: "_FATAL", "lost")),
        ]
        for turn in 0..<10 {
            var rounds = Int.random(in: 3..<40, using: &random)
            try run(
                "instance-\(turn)",
                stop: {
                    rounds -= 1
                    revision += 1
                    let id = "id-\(Int.random(in: 0..<9, using: &random))"
                    append(id, revision: revision, isDeleted: Bool.random(using: &random))
                    if Int.random(in: 0..<4, using: &random) == 0, let error = errors.randomElement(using: &random) {
                        let moment = Bool.random(using: &random) ? FaultMoment.beforeEffect : .afterEffect
                        let call = [TransactionalCall.commit, .produce, .initialise].randomElement(using: &random)
                        target.inject(error, into: call ?? .commit, call == .commit ? moment : .beforeEffect)
                    }
                    return rounds < 0
                }, keepsOn: true)
        }
        target.cancelFaults()
        try run("last")
        expectEachOnce()
    }

    /// The target says what the source says, and no record of the source is in it twice.
    private func expectEachOnce(sourceLocation: SourceLocation = #_sourceLocation) {
        let (mine, theirs) = (newest(target, "mirror"), newest(source, "timelines"))
        #expect(mine.mapValues(\.value) == theirs.mapValues(\.value), sourceLocation: sourceLocation)
        let written = target.records("mirror").map { $0.headers }
        #expect(Set(written).count == written.count, "some are there twice", sourceLocation: sourceLocation)
    }
}
