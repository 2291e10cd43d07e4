import Messages
import Testing
import Timelines

@Suite struct TimelineRecordTests {
    @Test("a timeline is written with its keys in the order of the contract")
    func golden() {
        let expected = #"""
            {"configurationId":"c","kind":"Board","family":"systemLarge","recipient":"phone","revision":3,
            "generatedAt":"2026-11-20T06:25:00Z","validUntil":"2026-11-20T06:31:00Z","entries":[
            {"id":"start/k/u/2026-11-20","date":"2026-11-20T06:25:00Z","phase":"start",
            "event":{"calendarId":"k","uid":"u","recurrenceId":"2026-11-20","title":"Fair \"A\"","location":"Hall",
            "start":"2026-11-20","end":"2026-11-21","allDay":true},
            "ongoing":[],
            "next":{"calendarId":"k","uid":"w","title":"Next","start":"2026-11-20T08:00:00Z",
            "end":"2026-11-20T09:00:00.500Z","allDay":false},"tentative":true,
            "vehicle":{"vehicleId":"v","registration":"R","alias":"A","status":"Moving","speed":40.5,
            "location":"1.00000, 2.00000","latitude":1,"longitude":2,"customAddressIcon":"I",
            "observedAt":"2026-11-20T06:24:59.001Z"},
            "values":{"fuel":0.5,"temp":-3},"message":"Hello","messageCode":"loading","sample":true,
            "relevance":{"score":0.7,"duration":1800},"parameters":{"a":[1.50,null],"b":{}}},
            {"id":"stale/2026-11-20T06:31:00Z","date":"2026-11-20T06:31:00Z","phase":"stale","relevance":{"score":1}}],
            "refreshCount":9,"policy":{"type":"after","date":"2026-11-20T06:27:00Z"},
            "nextUpdate":"2026-11-20T06:27:00Z",
            "sources":[{"topic":"vehicle.telemetry","partition":2,"offset":1234567890123}]}
            """#.replacing("\n", with: "")
        #expect(json { TimelineRecord.full.write(to: &$0) } == expected)
    }

    @Test("the policies and what is absent")
    func policies() {
        for (policy, text) in [(TimelineReloadPolicy.atEnd, "atEnd"), (.never, "never")] {
            let record = TimelineRecord(
                configurationId: "c", kind: "k", family: .systemSmall, recipient: "c", revision: 1,
                generatedAt: Instant(milliseconds: 0),
                timeline: Timeline(
                    entries: [TimelineEntry(id: "tick/x", date: Instant(milliseconds: 0), phase: .tick)],
                    policy: policy, nextUpdate: nil, validUntil: nil),
                refreshCount: 1)
            #expect(
                json { record.write(to: &$0) } == #"{"configurationId":"c","kind":"k","family":"systemSmall","#
                    + #""recipient":"c","revision":1,"generatedAt":"1970-01-01T00:00:00Z","#
                    + #""entries":[{"id":"tick/x","date":"1970-01-01T00:00:00Z","phase":"tick"}],"refreshCount":1,"#
                    + #""policy":{"type":"\#(text)"},"sources":[]}"#)
        }
    }

    @Test("what is written reads back")
    func roundTrip() throws {
        var parser = JSONParser()
        let text = json { TimelineRecord.full.write(to: &$0) }
        let read = try withBytes(text) { bytes throws(MessageProblem) in
            try TimelineRecord.decode(bytes, with: &parser)
        }
        #expect(read == TimelineRecord.full)
    }

    @Test(
        "a value that is no timeline is named by its field",
        arguments: [
            (#""revision":3"#, #""revision":-3"#, "revision"),
            (#""phase":"stale""#, #""phase":"old""#, "entries[1].phase"),
            (#""type":"after""#, #""type":"soon""#, "policy.type"),
            (#""partition":2"#, #""partition":"#, nil),
            (#""allDay":true"#, #""allDay":1"#, "entries[0].event.allDay"),
            (#""score":1}"#, #""score":"x"}"#, "entries[1].relevance.score"),
        ] as [(String, String, String?)])
    func problems(part: String, replacement: String, field: String?) {
        let text = json { TimelineRecord.full.write(to: &$0) }.replacing(part, with: replacement)
        var parser = JSONParser()
        do {
            _ = try withBytes(text) { bytes throws(MessageProblem) in try TimelineRecord.decode(bytes, with: &parser) }
            Issue.record("was read")
        } catch {
            #expect(error.field == field, "\(error)")
        }
    }
}

extension TimelineRecord {
    /// Every field there is.
    fileprivate static var full: TimelineRecord {
        let day = LocalDate(year: 2026, month: 11, day: 20)
        let start = instant("2026-11-20T08:00:00Z")
        var entry = TimelineEntry(id: "start/k/u/2026-11-20", date: instant("2026-11-20T06:25:00Z"), phase: .start)
        entry.event = Occurrence(
            calendarId: "k", uid: "u", recurrenceId: .date(day), title: "Fair \"A\"", location: "Hall",
            when: .allDay(start: day, end: LocalDate(year: 2026, month: 11, day: 21)))
        entry.ongoing = []
        entry.next = Occurrence(
            calendarId: "k", uid: "w", title: "Next",
            when: .timed(start: start, end: start + .hours(1) + ElapsedTime(milliseconds: 500)))
        entry.isTentative = true
        var vehicle = TimelineEntry.VehicleView(vehicleId: "v")
        vehicle.registration = "R"
        vehicle.alias = "A"
        vehicle.status = "Moving"
        vehicle.speed = 40.5
        vehicle.location = "1.00000, 2.00000"
        vehicle.latitude = 1
        vehicle.longitude = 2
        vehicle.customAddressIcon = "I"
        vehicle.observedAt = instant("2026-11-20T06:24:59.001Z")
        entry.vehicle = vehicle
        entry.values = [.init(name: "fuel", value: 0.5), .init(name: "temp", value: -3)]
        entry.message = .init("Hello", code: .loading)
        entry.isSample = true
        entry.relevance = .init(score: 0.7, duration: 1800)
        entry.parameters = Parameters([
            .init(key: "b", value: .object(Parameters())), .init(key: "a", value: .array([.number("1.50"), .null])),
        ])
        let staleAt = instant("2026-11-20T06:31:00Z")
        var stale = TimelineEntry(id: "stale/2026-11-20T06:31:00Z", date: staleAt, phase: .stale)
        stale.relevance = .init(score: 1)
        let due = instant("2026-11-20T06:27:00Z")
        return TimelineRecord(
            configurationId: "c", kind: "Board", family: .systemLarge, recipient: "phone", revision: 3,
            generatedAt: instant("2026-11-20T06:25:00Z"),
            timeline: Timeline(entries: [entry, stale], policy: .after(due), nextUpdate: due, validUntil: staleAt),
            refreshCount: 9,
            sources: [SourceOffset(topic: "vehicle.telemetry", partition: 2, offset: 1_234_567_890_123)])
    }
}
