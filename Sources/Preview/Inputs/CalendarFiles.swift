internal import Agendas
internal import Messages
internal import Producers
internal import Timelines

/// Reads calendars: records of `calendar.events`, and iCalendar files.
struct CalendarFiles: ~Copyable {
    private(set) var calendars: [String: PreviewSources.Calendar] = [:]
    /// Parts of iCalendar files that cannot be used, which whoever publishes the file leaves out, too, and those that
    /// are not used as they are.
    private(set) var remarks: [String] = []
    private var parser = JSONParser()

    mutating func read(events file: String, problems: inout [InputProblem]) {
        var objects = ObjectFile(file, of: .calendarEvents, problems: &problems)
        while let (object, record) = objects.next(problems: &problems) {
            do throws(MessageProblem) {
                try apply(record)
            } catch {
                problems.append(objects.problem(object, error))
            }
        }
    }

    mutating func read(iCalendar file: String, problems: inout [InputProblem]) {
        let calendarId = PreviewFiles.calendarId(of: file)
        let source = CalendarImport(files: [file], calendarId: calendarId)
        // A calendar without events is known, too.
        calendars[calendarId, default: .init()].events = calendars[calendarId]?.events ?? EventCalendar()
        do throws(InputProblem) {
            while let record = try source.next() {
                do throws(MessageProblem) {
                    try apply(record, of: calendarId)
                } catch {
                    problems.append(InputProblem(file: file, line: nil, reason: error.description))
                }
            }
            remarks += source.skipped.map { "left out: \($0)" } + source.remarks.map(\.description)
        } catch {
            problems.append(error)
        }
    }

    /// Applies a record as the calendar's task in the pipeline does.
    ///
    /// - Parameter calendarId: the calendar of a record that is iCalendar text; JSON names its own.
    private mutating func apply(_ record: SourceRecord, of calendarId: String = "") throws(MessageProblem) {
        guard let value = record.value else {
            let key = try record.key.withBytes(EventKey.decode)
            calendars[key.calendarId]?.events.remove(key)
            return
        }
        let event = try value.withBytes { bytes throws(MessageProblem) in
            try CalendarEventMessage.decode(bytes, of: calendarId, with: &parser)
        }
        var calendar = calendars.removeValue(forKey: event.calendarId) ?? .init()
        calendar.events.apply(event)
        if let lead = event.preEventLead, lead.nominal > calendar.longestLead?.nominal ?? .zero {
            calendar.longestLead = lead
        }
        calendars[event.calendarId] = calendar
    }
}
