package import Agendas
internal import Timelines

extension CalendarEvent {
    /// Writes the JSON of the contract (DESIGN.md section 3, calendar event); what is a default is left out.
    package func write(to json: inout JSONWriter) {
        json.beginObject()
        json.string("calendarId", calendarId)
        json.string("uid", uid)
        json.string("recurrenceId", recurrenceId?.text)
        json.string("range", isThisAndFuture ? "thisAndFuture" : nil)
        json.integer("sequence", sequence == 0 ? nil : sequence)
        json.instant("updatedAt", updatedAt)
        json.string("title", title)
        json.string("location", location)
        json.string("start", start.text)
        switch end {
        case .at(let end): json.string("end", end.text)
        case .after(let duration): json.string("duration", duration.iso8601)
        case nil: break
        }
        json.string("timeZone", timeZone)
        json.bool("allDay", isAllDay ? true : nil)
        json.string("status", status == .confirmed ? nil : status.rawValue)
        json.strings("recurrence", recurrence.isEmpty ? nil : recurrence)
        json.string("preEventLead", preEventLead?.iso8601)
        json.string("vehicleId", vehicleId)
        json.endObject()
    }
}
