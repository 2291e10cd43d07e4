import RecordLog
import Simulation
import StreamCore
import Testing

@testable import StreamRuntime

/// What is asked at the start and not answered: nothing is taken for read that was not.
@Suite("Checks of the state at the start: R18")
struct StateCheckTests {
    private static let place = TopicPartition("out", 0)
    private let cluster = MemoryCluster()
    private let ports: ObservedCluster
    private let stop = StopRequest()

    init() {
        cluster.createTopic("out", partitions: 2)
        for partition in 0..<Partition(2) {
            cluster.append("out", partition, key: "k", value: "v")
        }
        ports = ObservedCluster(cluster)
    }

    private func writers() throws -> [StateCheck.Writer] {
        let requests = PatientRequests(
            patience: .seconds(5), clock: StepClock(), shouldStop: { [stop] in stop.isRequested })
        return try StateCheck(ports, clientId: "check", requests: requests).writers(
            of: "out", partitions: 2, header: "ce_source")
    }

    @Test("a topic that is read to its end is judged by what is there")
    func read() throws {
        #expect(try writers().isEmpty)
    }

    @Test("a broker that does not know a new topic yet is asked again, for some seconds", arguments: [3, 1_000])
    func unknownYet(times: Int) throws {
        let unknown = LogError(.unknownTopicOrPartition, name: "UNKNOWN_TOPIC_OR_PART", "unknown")
        cluster.inject(unknown, into: .endOffsets, times: times)
        if times == 3 {
            #expect(try writers().isEmpty)
        } else {
            let failure = #expect(throws: StreamFailure.self) { try writers() }
            #expect(failure?.description.contains("UNKNOWN_TOPIC_OR_PART") == true)
        }
    }

    @Test("a partition that gives nothing within the patience is named")
    func silent() throws {
        ports.silence(Self.place, until: "never")
        let failure = #expect(throws: StreamFailure.self) { try writers() }
        let text = failure?.description ?? ""
        #expect(text.contains("out[0] was not read to its end"), "\(text)")
    }

    @Test("the mean size of records is of those that were read, beside why not all of them were")
    func sizes() {
        let requests = PatientRequests(patience: .seconds(5), clock: StepClock(), shouldStop: { false })
        let check = StateCheck(ports, clientId: "check", requests: requests)
        let whole = check.recordBytes(of: "out", partitions: 2)
        #expect(whole.mean == 2 && whole.failure == nil)
        ports.silence(Self.place, until: "never")
        let part = check.recordBytes(of: "out", partitions: 2)
        #expect(part.mean == 2, "that of the other partition")
        #expect(part.failure?.description.contains("out[0] was not read to its end") == true)
    }

    @Test("who is told to end does not wait for a broker that does not answer", arguments: [true, false])
    func stopped(isAnswered: Bool) throws {
        stop.isRequested = true
        ports.silence(Self.place, until: "never")
        let away = LogError(.unreachable, name: "_TRANSPORT", "away", isRetriable: true)
        let fault = isAnswered ? nil : cluster.inject(away, into: .endOffsets, times: 1_000)
        let failure = #expect(throws: StreamFailure.self) { try writers() }
        let text = failure?.description ?? ""
        #expect(text.contains("told to end while no broker answered"), "\(text)")
        if let fault { #expect(cluster.timesFired(fault) == 1) }
    }

    @Test("a refusal that lasts is not waited for")
    func refused() throws {
        let fault = cluster.inject(
            LogError(.notAuthorised, name: "TOPIC_AUTHORIZATION_FAILED", "no"), into: .poll, times: 1)
        let failure = #expect(throws: StreamFailure.self) { try writers() }
        let text = failure?.description ?? ""
        #expect(text.contains("TOPIC_AUTHORIZATION_FAILED"), "\(text)")
        #expect(cluster.timesFired(fault) == 1)
    }

    @Test("a comparison that nobody answers confirms nothing")
    func unanswered() throws {
        let comparer = try PositionComparer(ports, clientId: "compare")
        let record = try #require(cluster.records("out").first { $0.partition == 0 })
        let known = Fingerprint(offset: record.offset, timestamp: record.timestamp, hash: 1)
        ports.silence(Self.place, until: "never")
        try comparer.ask([(Self.place, known)], now: .zero)
        let early = try comparer.poll(now: .seconds(29)).answers.map(\.1)
        let late = try comparer.poll(now: .seconds(31)).answers.map(\.1)
        #expect(early.isEmpty && late == [.unanswered])
        #expect(!comparer.isAsked(Self.place))
    }
}
