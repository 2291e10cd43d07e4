import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import Testing

@Suite("Internal topics: R7")
struct InternalTopicsTests {
    let cluster = MemoryCluster()
    let topics = InternalTopics(applicationId: "app")
    private let clock = StepClock()
    private let stop = StopRequest()

    private func createTopics(inputPartitions: Int32 = 3) {
        cluster.createTopic(LedgerTopology.source, partitions: inputPartitions)
        for output in LedgerTopology.topology.outputs { cluster.createTopic(output, partitions: 1) }
    }

    private func prepare() throws(InternalTopics.Problem) -> InternalTopics.Layout {
        guard let admin = try? cluster.makeAdmin() else { preconditionFailure("an admin in memory is always there") }
        let requests = PatientRequests(clock: clock, shouldStop: { [stop] in stop.isRequested })
        return try topics.prepare(for: LedgerTopology.topology, with: admin, requests: requests)
    }

    private func settings(of topic: String) throws -> [String: String] {
        try #require(try cluster.makeAdmin().describeTopics([topic], timeout: .zero)[topic]).settings
    }

    private static let bytes = NewTopic.Setting("max.message.bytes", String(InternalTopics.recordBytesMax))
    private static let exchangeSettings: [NewTopic.Setting] = [.init("retention.ms", "-1"), bytes]
    private static let stateSettings: [NewTopic.Setting] = [.init("cleanup.policy", "compact"), bytes]

    @Test("they are made with as many partitions as the largest input, kept for ever and compacted")
    func made() throws {
        createTopics(inputPartitions: 3)
        let layout = try prepare()
        #expect(layout.partitions == 3 && layout.sourcePartitions == [3])
        #expect(cluster.partitionCount(of: "app.exchange") == 3 && cluster.partitionCount(of: "app.state") == 3)
        let exchange = try settings(of: "app.exchange")
        #expect(exchange["cleanup.policy"] == "delete" && exchange["retention.ms"] == "-1")
        #expect(exchange["retention.bytes"] == "-1")
        #expect(try settings(of: "app.state")["cleanup.policy"] == "compact")
        #expect(try prepare().partitions == 3, "a second start finds what the first one made")
    }

    @Test("the existing exchange's count is the number of tasks, whatever the inputs have")
    func existing() throws {
        createTopics(inputPartitions: 8)
        cluster.createTopic("app.exchange", partitions: 2, settings: Self.exchangeSettings)
        let layout = try prepare()
        #expect(layout.partitions == 2 && layout.sourcePartitions == [8])
        #expect(cluster.partitionCount(of: "app.state") == 2)
    }

    @Test("missing inputs and outputs are named all at once, and nothing is made")
    func missing() throws {
        cluster.createTopic("violations", partitions: 1)
        #expect(throws: InternalTopics.Problem.missing(["a.in", "applied"])) { try prepare() }
        #expect(try cluster.makeAdmin().describeTopics(["app.exchange", "app.state"], timeout: .zero).isEmpty)
    }

    @Test(
        "what another program or setting made is refused by name, with what differs",
        arguments: [
            ("app.exchange", 3, [.init("cleanup.policy", "compact")], "cleanup.policy compact"),
            ("app.exchange", 3, [], "retention.ms 604800000"),
            (
                "app.exchange", 3, exchangeSettings + [.init("retention.bytes", "1000")],
                "retention.bytes 1000, must be -1: what was not read yet would be removed"
            ),
            ("app.state", 3, [], "cleanup.policy delete"),
            ("app.state", 3, [.init("cleanup.policy", "compact,delete")], "cleanup.policy compact,delete"),
            ("app.exchange", 3, [.init("retention.ms", "-1")], "max.message.bytes 1048588, must be at least 8388608"),
            ("app.state", 3, [.init("cleanup.policy", "compact")], "max.message.bytes 1048588"),
            ("app.state", 4, stateSettings, "has 4 partitions"),
            ("app.exchange", 4, exchangeSettings, "has 3 partitions, but app.exchange has 4"),
        ] as [(String, Int32, [NewTopic.Setting], String)])
    func refused(topic: String, partitions: Int32, settings: [NewTopic.Setting], reason: String) throws {
        createTopics()
        cluster.createTopic(topic, partitions: partitions, settings: settings)
        let other = topic == "app.exchange" ? "app.state" : "app.exchange"
        cluster.createTopic(
            other, partitions: 3, settings: other == "app.state" ? Self.stateSettings : Self.exchangeSettings)
        let problem = #expect(throws: InternalTopics.Problem.self) { try prepare() }
        guard case .refused(let name, let text) = problem else {
            Issue.record("no refusal: \(String(describing: problem))")
            return
        }
        #expect(text.contains(reason), "\(text)")
        #expect(name == (reason.contains("partitions") ? "app.state" : topic))
    }

    @Test("another process that is faster is no failure; another failure is one")
    func creationFails() throws {
        createTopics()
        let exists = LogError(.topicAlreadyExists, name: "TOPIC_ALREADY_EXISTS", "exists")
        let fault = cluster.inject(exists, into: .createTopic, .afterEffect, times: 2)
        #expect(try prepare().partitions == 3)
        #expect(cluster.timesFired(fault) == 2)
        let other = InternalTopicsTests()
        other.createTopics()
        other.cluster.inject(broken, into: .createTopic)
        #expect(throws: InternalTopics.Problem.failed(broken)) { try other.prepare() }
        let silent = InternalTopicsTests()
        silent.cluster.inject(broken, into: .describeTopics)
        #expect(throws: InternalTopics.Problem.failed(broken)) { try silent.prepare() }
    }

    @Test("a topic that the broker does not know yet is looked up again for five seconds, and then it is missing")
    func late() throws {
        createTopics()
        let unknown = LogError(.unknownTopicOrPartition, name: "UNKNOWN_TOPIC_OR_PART", "new", isRetriable: true)
        let fault = cluster.inject(unknown, into: .describeTopics, times: 3)
        #expect(try prepare().partitions == 3)
        #expect(cluster.timesFired(fault) == 3)
        let other = InternalTopicsTests()
        #expect(throws: InternalTopics.Problem.missing(["a.in", "applied", "violations"])) { try other.prepare() }
        #expect(other.clock.now >= .seconds(5) && other.clock.now < .seconds(6))
    }

    @Test("brokers that are away are asked for as long as the patience, and not beyond a signal to end")
    func away() throws {
        createTopics()
        let away = LogError(.unreachable, name: "_TRANSPORT", "away", isRetriable: true)
        cluster.inject(away, into: .describeTopics, times: 1_000_000)
        #expect(throws: InternalTopics.Problem.failed(away)) { try prepare() }
        #expect(clock.now >= .seconds(30) && clock.now < .seconds(31))
        stop.isRequested = true
        #expect(throws: InternalTopics.Problem.stopped) { try prepare() }
        #expect(clock.now < .seconds(31))
    }
}
