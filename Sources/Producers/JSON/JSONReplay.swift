import Agendas
import Timelines

/// The objects of a JSON file (one object, an array, or JSON lines) as records of one topic. The bytes are published as
/// they are; what is checked is that they are JSON and say whose record they are. An event or a configuration with
/// `"deleted": true` is a tombstone.
package final class JSONReplay: RecordSource {
    private let objects: JSONObjectStream
    private let content: Content

    /// What the objects are.
    package enum Content: String, CaseIterable, Sendable {
        /// Keyed by `vehicleId`; due when it was observed.
        case telemetry
        /// Keyed by `calendarId`, `uid` and, where there is one, `recurrenceId`.
        case calendarEvents
        /// Keyed by `configurationId`.
        case configurations
    }

    /// - Parameters:
    ///   - file: a path; `-` is standard input, of which each object is published as soon as it is complete.
    ///   - shouldStop: asked several times a second while nothing comes through a pipe; true is the input's end.
    package init(
        file: String, content: Content, shouldStop: @escaping () -> Bool = { false }
    ) throws(InputProblem) {
        objects = try JSONObjectStream(file: file, shouldStop: shouldStop)
        self.content = content
    }

    package var fractionDone: Double? { objects.fractionDone }

    package func next() throws(InputProblem) -> SourceRecord? {
        guard let object = try objects.next() else { return nil }
        return try content.record(object, of: objects.file)
    }
}

extension JSONReplay.Content {
    /// The record that an object of a file stands for.
    ///
    /// - Throws: where it does not say whose record it is.
    package func record(_ object: JSONObject, of file: String) throws(InputProblem) -> SourceRecord {
        do throws(Nameless) {
            return try record(object)
        } catch {
            throw InputProblem(file: file, line: object.line, reason: error.reason)
        }
    }

    private struct Nameless: Error {
        var reason: String
    }

    private func record(_ object: JSONObject) throws(Nameless) -> SourceRecord {
        switch self {
        case .telemetry:
            let key = try identifier("vehicleId", of: object)
            return SourceRecord(key: Array(key.utf8), value: object.bytes, due: instant("observedAt", of: object))
        case .calendarEvents:
            let key = EventKey(
                calendarId: try identifier("calendarId", of: object), uid: try identifier("uid", of: object),
                recurrenceId: try recurrenceId(of: object))
            return record(key.text, object)
        case .configurations:
            return record(try identifier("configurationId", of: object), object)
        }
    }

    private func record(_ key: String, _ object: JSONObject) -> SourceRecord {
        SourceRecord(key: Array(key.utf8), value: object.isTrue("deleted") ? nil : object.bytes)
    }

    private func identifier(_ name: String, of object: JSONObject) throws(Nameless) -> String {
        guard let text = object.text(name), !text.isEmpty else {
            throw Nameless(reason: "\(name) is missing; it has to be a text that is not empty, or a number")
        }
        return text
    }

    private func recurrenceId(of object: JSONObject) throws(Nameless) -> EventTime? {
        guard object.has("recurrenceId"), !object.isNull("recurrenceId") else { return nil }
        if let text = object.text("recurrenceId") {
            if let time = EventTime(text: text) { return time }
            if let milliseconds = Int64(text) { return .instant(Instant(milliseconds: milliseconds)) }
        }
        throw Nameless(reason: "recurrenceId has to be an RFC 3339 date-time, a local date-time or a date")
    }

    /// For the pace alone: whether it can be read is for the pipeline to judge.
    private func instant(_ name: String, of object: JSONObject) -> Instant? {
        guard let text = object.text(name) else { return nil }
        return Instant(rfc3339: text) ?? Int64(text).map { Instant(milliseconds: $0) }
    }
}
