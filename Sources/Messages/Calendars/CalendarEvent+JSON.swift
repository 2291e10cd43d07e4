package import Agendas
internal import Timelines

extension CalendarEvent {
    /// The value of a record that is this event, with its content type where that is not JSON.
    package var message: (value: [UInt8], contentType: String?) {
        if let text = iCalendarText { return (text, "text/calendar") }
        var json = JSONWriter()
        write(to: &json)
        return (json.bytes, nil)
    }

    /// Writes the JSON of the contract (M4); what is a default is left out.
    ///
    /// An event whose zone has no IANA name has no `timeZone`, but the member `iCalendar`, the text that its record
    /// holds and that is read in place of the other members.
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
        json.string("timeZone", definedZone == nil ? timeZone : nil)
        json.bool("allDay", isAllDay ? true : nil)
        json.string("status", status == .confirmed ? nil : status.rawValue)
        json.strings("recurrence", recurrence.isEmpty ? nil : recurrence)
        json.string("preEventLead", preEventLead?.iso8601)
        json.string("vehicleId", vehicleId)
        json.string("iCalendar", iCalendarText.map { String(decoding: $0, as: UTF8.self) })
        json.endObject()
    }
}
