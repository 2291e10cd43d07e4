import Foundation
import Testing

/// A record that a producer gets wrong, written to its topic as it is.
struct MistakenRecord: Sendable {
    var title: String
    var topic: String
    /// The record's key. The answer is found by it, so no two records have the same.
    var key: String
    var value: String?

    /// The answer of the program: a dead letter, or a timeline with an `error` entry.
    enum Answer: Sendable {
        case deadLetter(String)
        case errorTimeline(String)
    }

    init(_ title: String, _ topic: String, key: String, _ value: String?) {
        self.title = title
        self.topic = topic
        self.key = key
        self.value = value
    }

    static let all = [
        MistakenRecord("telemetry that is cut off", "vehicle.telemetry", key: "v1", #"{"vehicleId": "v1", "#),
        MistakenRecord("telemetry without an id", "vehicle.telemetry", key: "v2", #"{"observedAt": 0}"#),
        MistakenRecord(
            "telemetry of an impossible date", "vehicle.telemetry", key: "v3",
            #"{"vehicleId": "v3", "observedAt": "2026-02-30T00:00:00Z"}"#),
        MistakenRecord(
            "a speed that is text", "vehicle.telemetry", key: "v4",
            #"{"vehicleId": "v4", "observedAt": 0, "speed": "fast"}"#),
        MistakenRecord("telemetry without a value", "vehicle.telemetry", key: "v5", nil),
        MistakenRecord(
            "an event that ends before it starts", "calendar.events", key: "c/1",
            #"{"calendarId": "c", "uid": "1", "title": "t", "start": 1772445600000, "end": 1772442000000}"#),
        MistakenRecord(
            "an event in an unknown zone", "calendar.events", key: "c/2",
            #"{"calendarId": "c", "uid": "2", "title": "t", "start": "2026-11-20T09:00", "timeZone": "Moon"}"#),
        MistakenRecord(
            "a rule that is none", "calendar.events", key: "c/3",
            #"{"calendarId": "c", "uid": "3", "title": "t", "start": 0, "recurrence": ["every day"]}"#),
        MistakenRecord("an event's tombstone under another key", "calendar.events", key: "work", nil),
        MistakenRecord("a configuration that is no JSON", "widget.configurations", key: "w1", "hello"),
        MistakenRecord("a configuration without an id", "widget.configurations", key: "w2", #"{"kind": "Status"}"#),
        MistakenRecord(
            "an unknown family", "widget.configurations", key: "w3",
            #"{"configurationId": "w3", "kind": "Status", "family": "huge"}"#),
        MistakenRecord(
            "an option that the strategy does not have", "widget.configurations", key: "w4",
            #"{"configurationId": "w4", "kind": "Status", "strategy": {"name": "status", "evry": "PT5M"}}"#),
        MistakenRecord(
            "an interval out of range", "widget.configurations", key: "w5",
            #"{"configurationId": "w5", "kind": "Status", "strategy": {"name": "status", "every": "PT0S"}}"#),
        MistakenRecord(
            "a configuration without a kind", "widget.configurations", key: "w6", #"{"configurationId": "w6"}"#),
        MistakenRecord(
            "a parameter of the wrong type", "widget.configurations", key: "w7",
            #"{"configurationId": "w7", "kind": "Weather", "parameters": {"city": 7}}"#),
        MistakenRecord(
            "a position outside of its entry", "timeline.positions", key: "r/w1/d",
            #"{"readerId": "r", "configurationId": "w1", "entryId": "e", "observedAt": 0, "fraction": 1.5}"#),
        MistakenRecord(
            "a mark without its instant", "timeline.positions", key: "r/w1/d2",
            """
            {"readerId": "r", "configurationId": "w1", "entryId": "e", "observedAt": 0, \
            "readEntries": [{"entryId": "e"}]}
            """),
        MistakenRecord("a position's tombstone under another key", "timeline.positions", key: "r", nil),
    ]

    /// A declared kind, for the mistake that only a declaration makes one.
    static let kinds = #"kinds={"Weather":{"parameters":{"city":{"title":"City","type":"string"}}}}"#
}

extension MistakenRecord {
    /// Writes all of them, has them processed, and says what came of each, in the same order.
    static func answers(from application: Application) async throws -> [Answer?] {
        for record in all {
            let value = record.value.map { Array($0.utf8) }
            try await application.produce([(key: record.key, value: value, headers: [])], to: record.topic)
        }
        try await application.run(
            "process", "--until-caught-up", "--clock", "2026-11-20T06:25:00Z", "--set", kinds)
        var answers: [String: Answer] = [:]
        for letter in try await application.records(of: "tideline.dead-letters") {
            if let reason = letter.header("__streams.errors.message") { answers[letter.keyText] = .deadLetter(reason) }
        }
        for record in try await application.records(of: "timelines") {
            let entries = try record.json()["entries"] as? [[String: Any]]
            if let entry = entries?.first, entry["phase"] as? String == "error", let text = entry["message"] as? String
            {
                answers[record.keyText] = .errorTimeline(text)
            }
        }
        return all.map { answers[$0.key] }
    }
}
