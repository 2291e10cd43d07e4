import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import Testing

@Suite("Order of reading and leaving: R8 and R12")
struct LeavingAndReadingRulesTests {
    /// Emits the name of each record's source, in the order in which the records come.
    private final class OrderProcessor: RecordProcessor, MessageProcessor {
        static let node = NodeName<LedgerMessage>(0, "order")

        static let topology = Topology(
            sources: [
                .init(topic: "a.telemetry", to: node, readingOrder: 2),
                .init(topic: "b.events", to: node, readingOrder: 1),
                .init(topic: "c.configs", to: node, readingOrder: 0),
            ],
            nodes: [.init(node, writes: [OutputName(0)]) { OrderProcessor() }], outputs: ["order"])

        var stores: [any ChangelogStore] { [] }

        func process(_ record: InputRecord, _ context: TaskContext) {
            let topic = context.topology.sources[Int(record.origin.source)].topic
            Array("\(topic) \(record.origin.offset)".utf8).withUnsafeBytes {
                context.emit(OutputName(0), key: nil, value: $0, headers: [])
            }
        }

        func receive(_ message: LedgerMessage, for entity: UnsafeRawBufferPointer, _ context: TaskContext) {
            Array("exchange".utf8).withUnsafeBytes { context.emit(OutputName(0), key: nil, value: $0, headers: []) }
        }
    }

    private func order(of application: SimulatedApplication) -> [String] {
        application.cluster.records("order").map { String(decoding: $0.value ?? [], as: UTF8.self) }
    }

    private func orderApplication(records: Int) -> SimulatedApplication {
        let application = SimulatedApplication(partitions: 1, topology: OrderProcessor.topology)
        application.settings.pollMaximum = 4
        for source in OrderProcessor.topology.sources {
            for _ in 0..<records { application.cluster.append(source.topic, 0, key: "k", value: "v") }
        }
        return application
    }

    @Test("R8: after assignment sources are read to the end seen then, in their order")
    func stages() throws {
        let application = orderApplication(records: 15)
        try application.join("a")
        try application.run(until: { order(of: application).count == 45 })
        let expected = ["c.configs", "b.events", "a.telemetry"].flatMap { topic in (0..<15).map { "\(topic) \($0)" } }
        #expect(order(of: application) == expected)
    }

    @Test("R8: a source that goes on growing does not hold up the next: only the end seen at assignment counts")
    func growingSource() throws {
        let application = orderApplication(records: 6)
        let member = try application.join("a")
        try application.run(until: { !member.runningTasks.isEmpty })
        var appended = 6
        try application.run(until: {
            application.cluster.append("c.configs", 0, key: "k", value: "v")
            appended += 1
            return order(of: application).contains("a.telemetry 5")
        })
        #expect(order(of: application).contains("a.telemetry 5"))
        #expect(appended < 100)
    }

    @Test("R8: an empty source is passed at once")
    func emptySources() throws {
        let application = SimulatedApplication(partitions: 1, topology: OrderProcessor.topology)
        application.cluster.append("a.telemetry", 0, key: "k", value: "v")
        try application.join("a")
        try application.run(until: { order(of: application).count == 1 })
        #expect(order(of: application) == ["a.telemetry 0"])
    }

    @Test("R8: later the exchange goes first, whatever else a batch holds")
    func exchangeFirst() throws {
        let application = SimulatedApplication(partitions: 1, topology: OrderProcessor.topology)
        try application.join("a")
        application.cluster.append("c.configs", 0, key: "k", value: "v")
        try application.run(until: { order(of: application).count == 1 })
        // The next poll begins behind c.configs, so it has a record of a.telemetry before that of the exchange.
        var payload = ByteWriter()
        LedgerMessage(from: 0, number: 1).encode(into: &payload)
        let envelope = [UInt8]("entity".utf8).withUnsafeBytes { entity in
            payload.withUnsafeBytes { Envelope.message(node: 0, NodeMessage(entity: entity, payload: $0)) }
        }
        application.cluster.append("a.telemetry", 0, key: "k", value: "v")
        application.cluster.append("app.exchange", 0, key: nil, value: envelope)
        application.cluster.append("c.configs", 0, key: "k", value: "v")
        try application.run(until: { order(of: application).count == 4 })
        #expect(order(of: application) == ["c.configs 0", "exchange", "a.telemetry 0", "c.configs 1"])
    }

    @Test(
        "R18: an exchange record that cannot be read ends the thread by name, and nothing of it is passed over",
        arguments: [[9, 9], [0x81, 4, 0, 0], [1, 7, 0], [0, 9, 0, 0]] as [[UInt8]])
    func unreadableExchangeRecord(_ value: [UInt8]) throws {
        let application = SimulatedApplication()
        let member = try application.join("a")
        application.append(20)
        try application.expectExactlyOnce()
        let before = application.committed("app.exchange", 1)
        let offset = application.cluster.append("app.exchange", 1, key: nil, value: value)
        let failure = #expect(throws: StreamFailure.self) { try application.run(rounds: 10) }
        #expect(failure?.description.contains("app.exchange[1] cannot be read at offset \(offset)") == true)
        guard case .refused = failure?.kind else {
            Issue.record("\(String(describing: failure))")
            return
        }
        member.thread.close()
        let after = try #require(application.committed("app.exchange", 1))
        #expect(after <= offset && after >= before ?? 0)
    }

    @Test("R12: a member that is told to end before its first assignment waits for it, then leaves the group")
    func leavingBeforeAssignment() throws {
        let application = SimulatedApplication()
        let staying = try application.join("a")
        try application.runUntilAllRun()
        let leaving = try application.join("b", tick: .milliseconds(1))
        #expect(!leaving.events.has("assigned"))
        application.leave(leaving)
        #expect(leaving.events.count("assigned") == 1)
        #expect(
            leaving.ports.calls("close").map(\.client) == ["app-b", "app-b-restore", "app-b-offsets", "app-b-claims"])
        #expect(application.cluster.members(of: "app").map(\.clientId) == ["app-a"])
        application.append(40)
        try application.expectExactlyOnce()
        #expect(staying.runningTasks == [0, 1])
    }

    @Test("R12: it waits for five seconds at most")
    func leavingWithoutAssignment() throws {
        let application = SimulatedApplication()
        let member = try application.join("a", tick: .milliseconds(10))
        member.ports.withholdsAssignment = true
        let began = application.clock.now
        application.leave(member)
        let elapsed = application.clock.now - began
        #expect((.seconds(5)..<(.seconds(6))).contains(elapsed), "\(elapsed.milliseconds) ms")
        #expect(member.ports.longestPatience == .zero, "nor does its consumer wait again")
        #expect(!member.events.has("assigned"))
    }

    @Test("leaving commits what was read")
    func leavingCommits() throws {
        let application = SimulatedApplication()
        application.settings.commitInterval = .seconds(9)
        let member = try application.join("a")
        application.append(40)
        try application.run(rounds: 12)
        #expect(application.audit.appliedCount == 0)
        application.leave(member)
        #expect(application.audit.appliedCount > 0)
        try application.join("b")
        try application.expectExactlyOnce()
    }
}
