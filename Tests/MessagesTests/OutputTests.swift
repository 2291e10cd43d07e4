import Messages
import Testing
import Timelines

@Suite struct OutputTests {
    private let reload = ReloadNotification(
        recipient: "phone", kind: "Board", configurationIds: ["b", "é", "a", "b"], reason: .statusChanged, revision: 7,
        issuedAt: Instant(milliseconds: 1500),
        budget: ReloadBudget(limit: 48, remaining: 9, resetsAt: Instant(milliseconds: 2_000)))

    @Test("a reload names its configurations in order, each once")
    func reloadJSON() throws {
        let text =
            #"{"recipient":"phone","kind":"Board","configurationIds":["a","b","é"],"reason":"statusChanged","#
            + #""revision":7,"issuedAt":"1970-01-01T00:00:01.500Z","#
            + #""budget":{"limit":48,"remaining":9,"resetsAt":"1970-01-01T00:00:02Z"}}"#
        #expect(json { reload.write(to: &$0) } == text)
        var parser = JSONParser()
        let read = try withBytes(text) { bytes throws(MessageProblem) in
            try ReloadNotification.decode(bytes, with: &parser)
        }
        #expect(read == reload)
    }

    @Test("the stronger reason is the greater")
    func reasons() {
        typealias Reason = ReloadNotification.Reason
        #expect(Reason.allCases.sorted(by: >) == Reason.allCases)
        #expect([Reason.retry, .dataChanged, .statusChanged].max() == .statusChanged)
    }

    @Test("a timeline's headers are those of a CloudEvent in binary mode")
    func timelineHeaders() {
        let headers = CloudEventHeaders(source: "/tideline")
        let made = headers.timeline(record, sinks: ["files", "sqlite"], traceParent: Array("00-ab-cd-01".utf8))
        #expect(
            made == [
                MessageHeader("ce_specversion", "1.0"), MessageHeader("ce_id", "c/4/1970-01-01T00:00:01Z"),
                MessageHeader("ce_type", "tideline.timeline.v1"), MessageHeader("ce_source", "/tideline"),
                MessageHeader("ce_time", "1970-01-01T00:00:01Z"), MessageHeader("ce_subject", "c"),
                MessageHeader("content-type", "application/json"), MessageHeader("ce_sinks", "files,sqlite"),
                MessageHeader("traceparent", "00-ab-cd-01"),
            ])
        #expect(CloudEventHeaders.sinks(in: made) == ["files", "sqlite"])
        #expect(CloudEventHeaders.sinks(in: headers.timeline(record)) == nil)
        #expect(CloudEventHeaders.sinks(in: headers.timeline(record, sinks: [])) == [])
    }

    @Test("reloads of one recipient, kind, revision and instant have different ids where they name others")
    func reloadIds() {
        var other = ReloadNotification(
            recipient: "phone", kind: "Board", configurationIds: ["c", "d"], reason: .statusChanged, revision: 7,
            issuedAt: reload.issuedAt, budget: reload.budget)
        let headers = CloudEventHeaders(source: "/tideline")
        func id(_ reload: ReloadNotification) -> MessageHeader? {
            headers.reload(reload).first { $0.name == "ce_id" }
        }
        #expect(id(other) != nil && id(other) != id(reload))
        other.reason = .requested
        #expect(id(other) == MessageHeader("ce_id", "phone/Board/c/7/1970-01-01T00:00:01.500Z"))
    }

    @Test("a tombstone has no content type, a reload its recipient as subject")
    func otherHeaders() {
        let headers = CloudEventHeaders(source: "/tideline")
        let tombstone = headers.timelineTombstone(configurationId: "c", at: Instant(milliseconds: 0))
        #expect(
            tombstone.map(\.name) == [
                "ce_specversion", "ce_id", "ce_type", "ce_source", "ce_time", "ce_subject",
            ])
        let made = headers.reload(reload)
        #expect(made.contains(MessageHeader("ce_type", "tideline.reload.v1")))
        #expect(made.contains(MessageHeader("ce_subject", "phone")))
        #expect(made.contains(MessageHeader("ce_id", "phone/Board/a/7/1970-01-01T00:00:01.500Z")))
    }

    @Test("a dead letter says why and where it comes from")
    func deadLetters() {
        let problem = MessageProblem(.wrongType, field: "speed", "must be a number")
        let headers = DeadLetterHeaders.headers(for: problem, topic: "t", partition: 3, offset: 99, size: 2_000_000)
        #expect(
            headers == [
                MessageHeader("__streams.errors.exception", "MessageProblem.wrongType"),
                MessageHeader("__streams.errors.message", "speed: must be a number"),
                MessageHeader("__streams.errors.topic", "t"), MessageHeader("__streams.errors.partition", "3"),
                MessageHeader("__streams.errors.offset", "99"), MessageHeader("tideline.value-size", "2000000"),
            ])
    }

    @Test("the prefix comes before every topic's name")
    func topicNames() {
        #expect(
            TopicNames().inputs == [
                "vehicle.telemetry", "calendar.events", "widget.configurations", "timeline.positions",
            ])
        #expect(
            TopicNames(prefix: "x.").outputs == [
                "x.timelines", "x.timeline.reloads", "x.timeline.positions.merged", "x.tideline.dead-letters",
            ])
    }

    private var record: TimelineRecord {
        let at = Instant(milliseconds: 1000)
        return TimelineRecord(
            configurationId: "c", kind: "k", family: .systemMedium, recipient: "c", revision: 4, generatedAt: at,
            timeline: Timeline(
                entries: [TimelineEntry(id: "tick", date: at, phase: .tick)], policy: .never, nextUpdate: nil,
                validUntil: nil),
            refreshCount: 2)
    }
}
