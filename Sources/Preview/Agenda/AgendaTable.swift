internal import Agendas
internal import Messages
internal import Timelines

/// A listing as a table for people: the days that have something, each with its rows, in local time.
///
/// An occurrence that began before the range is shown on the range's first day.
package struct AgendaTable {
    private let listing: AgendaListing
    private let style: TableStyle
    private let local: LocalText
    private let hasSeveralCalendars: Bool

    package init(of listing: AgendaListing, style: TableStyle) {
        self.listing = listing
        self.style = style
        local = LocalText(listing.calendar)
        let calendars = Set(listing.rows.map { Array($0.calendarId.utf8) })
        hasSeveralCalendars = calendars.count > 1
    }

    private struct Cells {
        var day: LocalDate
        var time: String
        var text: String
        var note: String
    }

    /// The lines, the last one a count.
    package var lines: [String] {
        let rows = listing.rows.map(cells)
            .enumerated().sorted { ($0.element.day, $0.offset) < ($1.element.day, $1.offset) }.map(\.element)
        let timeWidth = rows.map { DisplayWidth.of($0.time) }.max() ?? 0
        let textWidth = max(20, style.columns - 2 - timeWidth - 2)
        var lines: [String] = []
        var day: LocalDate?
        for row in rows {
            if row.day != day {
                if day != nil { lines.append("") }
                lines.append(style.text(local.day(row.day), .bold))
            }
            day = row.day
            lines += self.lines(of: row, timeWidth, textWidth)
        }
        return lines + (rows.isEmpty ? [] : [""]) + [style.text(summary, .faint)]
    }

    private func lines(of row: Cells, _ timeWidth: Int, _ textWidth: Int) -> [String] {
        let text = DisplayWidth.wrapped(row.text, to: textWidth)
        let notes = row.note.isEmpty ? [] : DisplayWidth.wrapped(row.note, to: textWidth)
        let margin = String(repeating: " ", count: 2 + timeWidth + 2)
        return text.enumerated().map { index, line in
            index == 0 ? "  \(DisplayWidth.padded(row.time, to: timeWidth))  \(line)" : margin + line
        } + notes.map { margin + style.text($0, .faint) }
    }

    private var summary: String {
        var isOfEvents = listing.range == nil
        if case .event? = listing.rows.first?.shown { isOfEvents = true }
        let noun = isOfEvents ? "event" : "occurrence"
        let count = listing.rows.count
        let counted = "\(count == 0 ? "no" : "\(count)") \(noun)\(count == 1 ? "" : "s")"
        guard let range = listing.range else { return "\(counted) · \(listing.calendar.timeZone)" }
        let ends = "from \(local.full(range.lowerBound)) to \(local.full(range.upperBound))"
        return "\(counted) \(ends) · \(listing.calendar.timeZone)"
    }

    // MARK: - Rows

    private func cells(_ row: AgendaListing.Row) -> Cells {
        switch row.shown {
        case .occurrence(let occurrence): cells(occurrence, row)
        case .event(let event): cells(event, row)
        }
    }

    private func cells(_ occurrence: Occurrence, _ row: AgendaListing.Row) -> Cells {
        let first = listing.range.map { listing.calendar.date(at: $0.lowerBound) }
        let title = text(
            occurrence.title, occurrence.location, occurrence.isTentative ? .tentative : .confirmed, row)
        switch occurrence.when {
        case .timed(let from, let to):
            let (start, end) = (listing.calendar.date(at: from), listing.calendar.date(at: to))
            let day = max(start, first ?? start)
            var parts = [title]
            if day > start { parts.append("since \(local.day(start)) \(local.time(from))") }
            if day < end { parts.append("until \(local.day(end)) \(local.time(to))") }
            let span = "\(day > start ? "…" : local.time(from)) – \(day < end ? "…" : local.time(to))"
            return Cells(
                day: day, time: from == to ? local.time(from) : span, text: parts.joined(separator: ", "), note: "")
        case .allDay(let start, let end):
            let day = max(start, first ?? start)
            let last = end.advanced(byDays: -1)
            var parts = [title]
            if day > start { parts.append("since \(local.day(start))") }
            if day < last { parts.append("until \(local.day(last))") }
            return Cells(day: day, time: "all day", text: parts.joined(separator: ", "), note: "")
        }
    }

    private func cells(_ event: CalendarEvent, _ row: AgendaListing.Row) -> Cells {
        var notes = event.recurrence
        if let original = event.recurrenceId {
            notes.insert("instead of \(original.text)\(event.isThisAndFuture ? " and all later ones" : "")", at: 0)
        }
        let day: LocalDate
        if case .date(let date) = event.start { day = date } else { day = listing.calendar.date(at: row.start) }
        return Cells(
            day: day, time: event.isAllDay ? "all day" : local.time(row.start),
            text: text(event.title, event.location, event.status, row),
            note: DataText.isolated(notes.joined(separator: " ")))
    }

    private func text(
        _ title: String, _ location: String?, _ status: EventStatus, _ row: AgendaListing.Row
    ) -> String {
        var text = title.isEmpty ? "(no title)" : title
        if let location, !location.isEmpty { text += ", \(location)" }
        if status != .confirmed { text += " (\(status.rawValue))" }
        if hasSeveralCalendars { text += " · \(row.calendarId)" }
        return DataText.isolated(text)
    }
}
