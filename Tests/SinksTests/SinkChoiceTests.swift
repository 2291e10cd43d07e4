import RecordLog
import Simulation
import Sinks
import Testing

@Suite("Which timelines a sink takes, and what becomes of those that it cannot")
struct SinkChoiceTests {
    private typealias Contract = TimelineSinkContract

    private let cluster = MemoryCluster()

    init() {
        cluster.createTopic("timelines", partitions: 1)
        cluster.createTopic("letters", partitions: 1)
    }

    private func append(_ id: String, _ value: String?, sinks: String? = nil) {
        cluster.append(
            "timelines", 0, key: Array(id.utf8), value: value.map { Array($0.utf8) },
            headers: sinks.map { [Header("ce_sinks", $0)] } ?? [])
    }

    private func run(
        _ sink: any TimelineSink, _ choice: SinkChoice? = nil, notice: @escaping (SinkNotice) -> Void = { _ in }
    ) throws -> SinkSummary {
        var settings = SinkSettings(topic: "timelines")
        settings.reading.untilCaughtUp = true
        settings.choice = choice
        settings.deadLettersTopic = "letters"
        return try SinkRunner(
            cluster: cluster, sink: sink, settings: settings, clock: SteppingClock(), notice: notice
        ).run()
    }

    private func timeline(_ id: String, kind: String = "Demo", recipient: String = "r") -> String {
        Contract.timeline(id, revision: 1).replacing(#""kind":"Demo""#, with: #""kind":"\#(kind)""#)
            .replacing(#""recipient":"r""#, with: #""recipient":"\#(recipient)""#)
    }

    @Test("a default takes the timelines that name no sink, another one only those that name it")
    func defaults() throws {
        append("all", timeline("all"))
        append("named", timeline("named"), sinks: "phones,cars")
        append("other", timeline("other"), sinks: "cars")
        append("none", timeline("none"), sinks: "")
        for (isDefault, ids) in [(true, ["all", "named"]), (false, ["named"])] {
            let sink = HoldingSink("phones")
            _ = try run(sink, SinkChoice(name: "phones", isDefault: isDefault))
            #expect(sink.ids == ids)
        }
    }

    @Test("conditions must all be met; a timeline that meets them no more is removed")
    func conditions() throws {
        append("bus", timeline("bus", kind: "Bus", recipient: "car-1"))
        append("tram", timeline("tram", kind: "Tram", recipient: "car-2"))
        append("phone", timeline("phone", kind: "Bus", recipient: "phone-1"))
        let choice = SinkChoice(
            name: "cars", conditions: [.init(.kind, "Bus"), .init(.recipient, "car-*")])
        let sink = HoldingSink("cars")
        #expect(try run(sink, choice).written == 1)
        #expect(sink.ids == ["bus"])
        append("bus", timeline("bus", kind: "Tram", recipient: "car-1"))
        #expect(try run(sink, choice).removed == 1)
        #expect(sink.ids.isEmpty)
    }

    @Test(
        "what the target holds follows a choice that has changed: all is read again, once, which is told",
        arguments: ["memory", "memory, in transactions", "files", "sqlite"])
    func changed(target: String) throws {
        append("bus", timeline("bus", kind: "Bus"))
        append("tram", timeline("tram", kind: "Tram"))
        append("named", timeline("named", kind: "Bus"), sinks: "phones")
        let directory = try TemporaryDirectory()
        let holding = HoldingSink("phones", isTransactional: target != "memory")
        func open() throws -> any TimelineSink {
            switch target {
            case "files": try FilesSink(directory: directory.path, name: "phones")
            case "sqlite": try SQLiteSink(file: directory.path + "/timelines.db", name: "phones")
            default: holding
            }
        }
        func held() throws -> String? {
            switch target {
            case "files": directory.files.joined(separator: " ").replacing(".json", with: "")
            case "sqlite":
                try directory.firstText(
                    of: "SELECT group_concat(id, ' ') FROM (SELECT configuration_id AS id FROM timelines ORDER BY id)",
                    in: "timelines.db")
            default: holding.ids.joined(separator: " ")
            }
        }
        let bus = SinkChoice.Condition(.kind, "Bus")
        let all = SinkChoice(name: "phones")
        let steps: [(choice: SinkChoice?, held: String, restarts: Int)] = [
            // A position that knows of no choice is taken as it is.
            (nil, "bus named tram", 0), (all, "bus named tram", 0),
            (SinkChoice(name: "phones", conditions: [bus]), "bus named", 1),
            (SinkChoice(name: "phones", conditions: [bus, .init(.recipient, "*")]), "bus named", 1),
            (SinkChoice(name: "phones", conditions: [.init(.recipient, "*"), bus]), "bus named", 0),
            (all, "bus named tram", 1), (SinkChoice(name: "phones", isDefault: false), "named", 1),
            (SinkChoice(name: "cars", isDefault: false), "", 1),
        ]
        for (index, step) in steps.enumerated() {
            var notices: [String] = []
            let summary = try run(open(), step.choice) { notices.append($0.description) }
            #expect(try held() ?? "" == step.held, "\(index)")
            #expect(notices.count == step.restarts && summary.startedOver == step.restarts, "\(index): \(notices)")
            #expect(notices.allSatisfy { $0.contains("other timelines are taken now") })
            // Once: the next run goes on behind it. The first with a choice keeps it with the next record alone.
            if index != 0 { append("gone-\(index)", nil) }
            // A directory without files has no positions.
            if step.held.isEmpty { continue }
            #expect(try run(open(), step.choice).records <= 1)
        }
    }

    @Test(
        "what cannot be written is a dead letter, once, with its bytes, its headers and the target's answer",
        arguments: [false, true])
    func deadLetters(isTransactional: Bool) throws {
        append("a", timeline("a"))
        append("bad", timeline("bad"), sinks: "phones")
        append("b", timeline("b"))
        cluster.append("timelines", 0, key: [0xFF], value: Array("x".utf8), headers: [])
        let sink = HoldingSink("phones", isTransactional: isTransactional)
        sink.refused = ["bad": "the column 'title' is too long"]
        // The whole batch is written twice; the letter goes out once.
        sink.keepFailures = isTransactional ? 2 : 0
        var notices = 0
        let summary = try run(sink) { if case .unusable = $0 { notices += 1 } }
        #expect(summary.written == 2 && summary.unusable == 2 && notices == 2)
        #expect(sink.ids == ["a", "b"])
        let letters = cluster.records("letters")
        #expect(letters.map(\.key) == [[0xFF], Array("bad".utf8)])
        let letter = try #require(letters.last)
        #expect(letter.value == Array(timeline("bad").utf8))
        let headers = letter.headers.map { "\($0.name)=\($0.value.map { String(decoding: $0, as: UTF8.self) } ?? "")" }
        #expect(headers.first == "ce_sinks=phones")
        #expect(headers.contains("__streams.errors.message=configuration bad: the column 'title' is too long"))
        #expect(headers.contains("__streams.errors.topic=timelines"))
        #expect(headers.contains("__streams.errors.offset=1"))
        #expect(try run(sink).records == 0)
        #expect(cluster.records("letters").count == 2)
    }
}

/// A sink that holds timelines in memory and refuses some by name.
private final class HoldingSink: TimelineSink {
    let name: String
    let isTransactional: Bool
    var refused: [String: String] = [:]
    /// So many times `keep` fails for now.
    var keepFailures = 0
    private var held: Set<String> = []
    private var committed: Set<String> = []
    private var kept: [Partition: SinkPosition] = [:]

    init(_ name: String, isTransactional: Bool = false) {
        self.name = name
        self.isTransactional = isTransactional
    }

    var ids: [String] { committed.sorted() }

    func positions(of topic: String) throws(SinkError) -> [Partition: SinkPosition] { kept }

    func write(_ record: SinkRecord) throws(SinkError) -> SinkOutcome {
        if let reason = refused[record.configurationId] { throw .unusable(BadRecord(reason)) }
        guard record.timeline(for: name) != nil else {
            return held.remove(record.configurationId) == nil ? .unchanged : .removed
        }
        held.insert(record.configurationId)
        return .written
    }

    func flush() throws(SinkError) {}

    func rollBack() { held = committed }

    func keep(_ positions: [Partition: SinkPosition], of topic: String) throws(SinkError) {
        if keepFailures > 0 {
            keepFailures -= 1
            throw .unavailable(SinkFault(place: name, operation: "write to", reason: "away"))
        }
        committed = held
        kept = positions
    }
}
