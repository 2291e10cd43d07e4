import HTTPClient
import RecordLog
import Sinks
import Testing

@Suite("The sink of timelines over HTTP: the contract of all sinks")
struct HTTPTimelinesContractTests {
    @Test("keeps the contract of a sink that does not look at what its target holds")
    func contract() throws {
        let stage = TimelineStage()
        try TimelineSinkContract(
            reopen: { HTTPTimelinesAsSink(stage) },
            content: { stage.held["https://t.example/timelines/\($0)"] },
            readsItsTarget: false, keepsItsPositions: false
        ).check()
    }
}

/// A record written is one that is in the topic, and a run that has caught up: the sink answers by what it sent.
private final class HTTPTimelinesAsSink: TimelineSink {
    let name = "http"
    private let stage: TimelineStage

    init(_ stage: TimelineStage) { self.stage = stage }

    func positions(of topic: String) throws(SinkError) -> [Partition: SinkPosition] { [:] }

    func write(_ record: SinkRecord) throws(SinkError) -> SinkOutcome {
        let sinks = record.headers.first { $0.name == "ce_sinks" }?.value.map { String(decoding: $0, as: UTF8.self) }
        let (sent, letters) = (stage.requests.count, stage.deadLetters.count)
        stage.append(
            record.configurationId, value: record.value.map { String(decoding: $0, as: UTF8.self) }, sinks: sinks)
        do {
            try stage.run()
        } catch {
            throw .refused(SinkFault(place: "the stage", operation: "run on", reason: "\(error)"))
        }
        if let letter = stage.deadLetters.dropFirst(letters).last { throw .unusable(BadRecord(letter)) }
        guard let request = stage.requests.dropFirst(sent).last else { return .unchanged }
        return request.method == .DELETE ? .removed : .written
    }

    func flush() throws(SinkError) {}

    func keep(_ positions: [Partition: SinkPosition], of topic: String) throws(SinkError) {}
}
