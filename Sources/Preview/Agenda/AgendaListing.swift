package import Agendas
package import Messages
package import Producers
package import Timelines

/// The occurrences of calendar files in a stretch of time, for `tideline agenda`. Each file is a calendar of its own.
package struct AgendaListing {
    /// The stretch of time; `nil` means always, for which only events can be listed.
    package let range: Range<Instant>?
    /// The local time of all-day dates, and of floating times in files that name no zone.
    package let calendar: LocalCalendar

    /// The occurrences that overlap the range, or the events that make them.
    package private(set) var rows: [Row] = []
    /// Files that cannot be read at all.
    package private(set) var unreadable: [InputProblem] = []
    /// Components that cannot be used, in the order of the files.
    package private(set) var leftOut: [InputProblem] = []
    /// The parts of files that are used, but not as they are.
    package private(set) var remarks: [InputProblem] = []

    /// A line of the listing.
    package struct Row {
        package enum Shown: Hashable, Sendable {
            case occurrence(Occurrence)
            case event(CalendarEvent)
        }

        package var shown: Shown
        /// The start: the beginning of the first day, if it is an all-day event.
        package var start: Instant
        package var calendarId: String
        var uid: String
        /// The original start as it is written; empty if there is none.
        var original: String
    }

    /// - Precondition: the range is not empty.
    package init(range: Range<Instant>?, in calendar: LocalCalendar) {
        precondition(range?.isEmpty != true)
        self.range = range
        self.calendar = calendar
    }

    /// Adds the occurrences of a file, or notes that it cannot be read.
    ///
    /// - Precondition: there is a range.
    package mutating func readOccurrences(_ file: CalendarFile.Reading) {
        guard let file = noted(file) else { return }
        let input = file.input
        for occurrence in agenda(of: file) {
            rows.append(
                Row(
                    shown: .occurrence(occurrence), start: calendar.interval(of: occurrence.when).start,
                    calendarId: input.calendarId, uid: occurrence.uid,
                    original: occurrence.recurrenceId?.text ?? ""))
        }
    }

    /// Adds the events of a file, as they are: masters with their rules, and overrides. Where there is a range, those
    /// of every UID that has an occurrence in it.
    package mutating func readEvents(_ file: CalendarFile.Reading) {
        guard let file = noted(file) else { return }
        let input = file.input
        let named = range == nil ? nil : Set(agenda(of: file).map { Array($0.uid.utf8) })
        for event in file.contents.events where named?.contains(Array(event.uid.utf8)) ?? true {
            let home = event.isAllDay ? calendar : event.zone ?? calendar
            rows.append(
                Row(
                    shown: .event(event), start: event.start.instant(in: home), calendarId: input.calendarId,
                    uid: event.uid, original: event.recurrenceId?.text ?? ""))
        }
    }

    /// Puts the rows in order: by start, then uid, then original start, then as they were read.
    package mutating func sort() {
        let order = rows.indices.sorted { left, right in
            let (one, other) = (rows[left], rows[right])
            if one.start != other.start { return one.start < other.start }
            if !one.uid.isSameByUTF8(as: other.uid) { return one.uid.precedesByUTF8(other.uid) }
            if one.original != other.original { return one.original.precedesByUTF8(other.original) }
            return left < right
        }
        rows = order.map { rows[$0] }
    }

    // MARK: - Files

    private mutating func noted(_ file: CalendarFile.Reading) -> CalendarFile? {
        switch file {
        case .success(let file):
            leftOut += file.leftOut
            remarks += file.remarks
            return file
        case .failure(let problem):
            unreadable.append(problem)
            return nil
        }
    }

    /// The occurrences in the range. Series that have too many instances are left out and reported with their line.
    private mutating func agenda(of file: CalendarFile) -> [Occurrence] {
        guard let range else { preconditionFailure("occurrences are listed of a stretch of time") }
        let agenda = file.contents.agenda(from: range.lowerBound, to: range.upperBound, in: calendar)
        let places = agenda.problems.isEmpty ? [] : file.places
        for problem in agenda.problems {
            let place = places.first { $0.uid.isSameByUTF8(as: problem.uid) }
            leftOut.append(
                InputProblem(
                    file: file.input.file, line: place?.lines.lowerBound, reason: "\(problem.uid) \(problem.reason)"))
        }
        return agenda.occurrences
    }
}

extension Occurrence.Moment {
    /// An instant in UTC, or a date.
    var text: String {
        switch self {
        case .instant(let instant): instant.rfc3339
        case .date(let date): date.iso8601
        }
    }
}

extension AgendaListing.Row {
    /// Writes an occurrence as `{uid, recurrenceId?, start, end, allDay, title, status}`: instants in UTC, of all-day
    /// ones dates, `end` exclusive (V6). An event is written as on `calendar.events`.
    package func write(to json: inout JSONWriter) {
        switch shown {
        case .event(let event): event.write(to: &json)
        case .occurrence(let occurrence): write(occurrence, to: &json)
        }
    }

    private func write(_ occurrence: Occurrence, to json: inout JSONWriter) {
        json.beginObject()
        json.string("uid", occurrence.uid)
        json.string("recurrenceId", occurrence.recurrenceId?.text)
        switch occurrence.when {
        case .timed(let start, let end):
            json.instant("start", start)
            json.instant("end", end)
        case .allDay(let start, let end):
            json.date("start", start)
            json.date("end", end)
        }
        json.bool("allDay", occurrence.isAllDay)
        json.string("title", occurrence.title)
        json.string("status", (occurrence.isTentative ? EventStatus.tentative : .confirmed).rawValue)
        json.endObject()
    }
}
