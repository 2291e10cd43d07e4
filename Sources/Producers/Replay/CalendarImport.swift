import Agendas
import Messages

/// The events of iCalendar files (`.ics`, RFC 5545) as records of `calendar.events`, file by file in their order. What
/// of a file cannot be used is left out and named in `skipped`.
package final class CalendarImport: RecordSource {
    private let files: [String]
    private let calendarId: String
    private var index = 0
    private var events: ArraySlice<CalendarEvent> = []
    private var eventCount = 0
    package private(set) var skipped: [InputProblem] = []

    /// - Parameter calendarId: the calendar that all events of all files are of.
    package init(files: [String], calendarId: String) {
        self.files = files
        self.calendarId = calendarId
    }

    /// Each file counts the same.
    package var fractionDone: Double? {
        let done = Double(index) - (eventCount == 0 ? 0 : Double(events.count) / Double(eventCount))
        return files.isEmpty ? 1 : done / Double(files.count)
    }

    /// - Throws: where a file cannot be read or is no iCalendar text at all.
    package func next() throws(InputProblem) -> SourceRecord? {
        while events.isEmpty {
            guard index < files.count else { return nil }
            try read(files[index])
            index += 1
        }
        return events.popFirst().map { SourceRecord($0) }
    }

    private func read(_ file: String) throws(InputProblem) {
        let source = try ByteSource(file: file)
        var text: [UInt8] = []
        while try source.read(into: &text) {
            guard text.count <= Self.lengthMax else {
                throw InputProblem(file: file, line: nil, reason: "larger than \(Self.lengthMax) bytes")
            }
        }
        guard isCalendar(text) else {
            throw InputProblem(file: file, line: 1, reason: "not an iCalendar file: BEGIN:VCALENDAR is missing")
        }
        let result = ICalendar.events(in: text, calendarId: calendarId)
        events = result.events[...]
        eventCount = events.count
        skipped += result.problems.map { InputProblem(file: file, line: $0.line, reason: $0.reason) }
    }

    /// Files are held whole, unlike everything else that is read here.
    private static let lengthMax = 256 << 20

    private func isCalendar(_ text: [UInt8]) -> Bool {
        let begin = text.starts(with: [0xef, 0xbb, 0xbf]) ? text[3...] : text[...]
        let first = begin.drop { [0x20, 0x09, 0x0a, 0x0d].contains($0) }.prefix(15)
        return String(decoding: first, as: UTF8.self).uppercased() == "BEGIN:VCALENDAR"
    }
}

extension SourceRecord {
    init(_ event: CalendarEvent) {
        let key = EventKey(calendarId: event.calendarId, uid: event.uid, recurrenceId: event.recurrenceId)
        var json = JSONWriter()
        event.write(to: &json)
        self.init(key: Array(key.text.utf8), value: json.bytes)
    }
}
