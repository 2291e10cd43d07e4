internal import Agendas
package import Messages
internal import Timelines

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
