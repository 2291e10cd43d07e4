import Foundation
import TestSupport
import Testing

@testable import TidelineClient

@Suite("Timelines are read as the contract writes them")
struct TimelineReadingTests {
    @Test("each example of the schema is read, with all that its entries say")
    func examples() throws {
        let schema = try JSONReader.value(
            of: Data(contentsOf: PackageRoot.url.appending(path: "schemas/timelines.schema.json")))
        guard case .object(let members) = schema, case .array(let examples)? = members["examples"] else {
            Issue.record("the schema has no examples")
            return
        }
        #expect(examples.count >= 3)
        let timelines = try examples.map { try PublishedTimeline(json: JSONText.bytes(of: $0)) }
        let courier = try #require(timelines.first { $0.configurationId == "courier" })
        #expect(courier.revision == 31 && courier.refreshCount == 412 && courier.family == "systemMedium")
        #expect(courier.timeline.policy == .after(at("2026-11-20T06:03:00Z")))
        #expect(courier.timeline.nextUpdate == at("2026-11-20T06:03:00Z"))
        let vehicle = try #require(courier.timeline.entries.first?.vehicle)
        #expect(vehicle.alias == "Courier" && vehicle.speed == 42.5 && vehicle.observedAt == at("2026-11-20T06:00:05Z"))
        let rounds = try #require(timelines.first { $0.configurationId == "rounds" })
        #expect(rounds.timeline.entries.map(\.phase) == [.day, .preEvent, .start, .end])
        #expect(rounds.timeline.entries[2].event?.title == "Morning round")
        #expect(rounds.timeline.entries[2].relevance == .init(score: 1, duration: 5400))
        #expect(rounds.timeline.entries[0].ongoing == [] && rounds.timeline.entries[0].next?.uid == "morning-round")
        let signedOut = try #require(timelines.first { $0.configurationId == "signed-out" })
        #expect(signedOut.timeline.entries[0].message == .init("Sign in to see this widget.", code: .signedOut))
    }

    @Test("an all-day occurrence has dates, and a parameter's number keeps its text")
    func details() throws {
        let text = """
            {"configurationId":"a","kind":"","family":"later","recipient":"r","revision":2,\
            "generatedAt":"2026-03-02T08:00:00Z","policy":{"type":"never"},"entries":[{"id":"start/c/u/2026-03-02",\
            "date":"2026-03-02T00:00:00Z","phase":"start","event":{"calendarId":"c","uid":"u","title":"Fair",\
            "start":"2026-03-02","end":"2026-03-03","allDay":true,"recurrenceId":"2026-03-02"},"tentative":true,\
            "values":{"b":1e2,"a":-0.5},"parameters":{"n":1.50,"t":"\\u00e9\\ud83d\\ude00"}}]}
            """
        let entry = try #require(try PublishedTimeline(json: text.utf8).timeline.entries.first)
        let (start, end) = (LocalDate(year: 2026, month: 3, day: 2), LocalDate(year: 2026, month: 3, day: 3))
        #expect(entry.event?.when == .allDay(start: start, end: end))
        #expect(entry.event?.recurrenceId == .date(start))
        #expect(entry.isTentative && !entry.isSample)
        #expect(entry.values == [.init(name: "a", value: -0.5), .init(name: "b", value: 100)])
        #expect(entry.parameters["n"] == .number("1.50") && entry.parameters["t"] == .string("é😀"))
    }

    @Test("what is newer than the library is passed over: phases, codes, policies, keys")
    func newer() throws {
        let text = timelineJSON().replacing("\"phase\":\"tick\"", with: "\"phase\":\"hologram\"", maxReplacements: 1)
            .replacing("{\"type\":\"after\"", with: "{\"type\":\"lunar\"").replacing(
                "\"kind\"", with: "\"k2\":{},\"kind\"")
        let timeline = try PublishedTimeline(json: text.utf8)
        #expect(timeline.unknownEntries == 1 && timeline.timeline.entries.map(\.id) == [tick("09:00")])
        #expect(timeline.timeline.policy == .after(at("10:00")))
        let message = timelineJSON(entries: ["08:00"])
            .replacing("\"phase\":\"tick\"", with: "\"phase\":\"error\",\"message\":\"Oh\",\"messageCode\":\"new\"")
        #expect(try PublishedTimeline(json: message.utf8).timeline.entries[0].message == .init("Oh", code: .unreadable))
    }

    @Test(
        "a problem names the place and what is allowed",
        arguments: [
            ("\"revision\":1", "\"revision\":\"x\"", "revision must be a number"),
            ("\"revision\":1", "\"revision\":1.5", "revision must be a whole number"),
            ("\"recipient\":\"ana\",", "", "recipient is missing"),
            ("\"phase\":\"tick\"", "\"phase\":7", "entries[0].phase must be text"),
            ("\"policy\":{\"type\":\"after\",", "\"policy\":{\"type\":\"after\",\"x\":1 ", "at byte"),
            ("\"generatedAt\":\"2026", "\"generatedAt\":\"soon2026", "generatedAt must be an instant of RFC 3339"),
        ])
    func problems(part: String, replacement: String, problem: String) throws {
        let text = timelineJSON().replacing(part, with: replacement, maxReplacements: 1)
        let error = #expect(throws: TidelineError.self) { try PublishedTimeline(json: text.utf8) }
        guard case .unreadable(let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains(problem))
    }

    @Test("bytes that are no JSON are an error, never a crash")
    func mutated() {
        let bytes = Array(timelineJSON().utf8)
        var random = SplitMix64(seed: 11)
        for length in 0..<bytes.count {
            #expect(throws: TidelineError.self) { try JSONReader.value(of: bytes[..<length]) }
        }
        for _ in 0..<3000 {
            var mutant = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                mutant[Int.random(in: mutant.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            // Either outcome will do; what is read can be written and read again.
            guard let value = try? JSONReader.value(of: mutant) else { continue }
            let again = try? JSONReader.value(of: JSONText.bytes(of: value))
            #expect(again == value)
        }
        #expect(throws: TidelineError.self) {
            try JSONReader.value(of: [UInt8](repeating: UInt8(ascii: "["), count: 9999))
        }
        for text in ["01", "1.", "-", "+1", "1e", "\"\\x\"", "\"\\u12\"", "tru", "[1,]", "{\"a\":1,}", "\"\n\"", "1 2"]
        {
            #expect(throws: TidelineError.self, "\(text)") { try JSONReader.value(of: text.utf8) }
        }
    }
}
