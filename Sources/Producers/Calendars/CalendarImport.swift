import Agendas
import Messages
import RecordLog

/// The events of iCalendar files (`.ics`, RFC 5545) as records of `calendar.events`, file by file in their order.
/// Components that cannot be used are left out and named in `skipped`.
package final class CalendarImport: RecordSource {
    private let files: [String]
    private let calendarId: String
    private var index = 0
    private var events: ArraySlice<CalendarEvent> = []
    private var eventCount = 0
    package private(set) var skipped: [InputProblem] = []
    /// The problems of components that are used, but not as the files have them.
    package private(set) var remarks: [InputProblem] = []

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

    /// - Throws: if a file cannot be read or is no iCalendar text at all.
    package func next() throws(InputProblem) -> SourceRecord? {
        while events.isEmpty {
            guard index < files.count else { return nil }
            let file = try CalendarFile(CalendarInput(file: files[index], calendarId: calendarId))
            events = file.contents.events[...]
            eventCount = events.count
            skipped += file.leftOut
            remarks += file.remarks
            index += 1
        }
        return events.popFirst().map { SourceRecord($0) }
    }
}

extension SourceRecord {
    /// The record of an event, under its own key whatever its value: the next version replaces it, a tombstone removes
    /// it. Overrides have records of their own.
    init(_ event: CalendarEvent) {
        let (value, contentType) = event.message
        let headers = contentType.map { [Header("content-type", $0)] } ?? []
        self.init(key: Array(event.key.text.utf8), value: value, headers: headers)
    }
}
