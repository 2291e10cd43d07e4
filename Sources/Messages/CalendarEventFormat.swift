internal import Agendas
internal import Timelines

/// How a record says events in JSON.
enum CalendarEventFormat {
    case contract
    /// An event resource of the Google Calendar API.
    case google
    /// A list of such resources.
    case googlePage
    /// RFC 8984.
    case jsCalendar

    init(_ fields: MessageFields, contentType: String?) {
        func says(_ key: String, _ texts: String...) -> Bool {
            guard case .string(let text)? = fields[key] else { return false }
            return texts.contains(text)
        }
        if Self.mediaType(contentType) == "application/jscalendar+json" || says("@type", "Event", "Group", "jsevent") {
            self = .jsCalendar
        } else if says("kind", "calendar#events") {
            self = .googlePage
        } else if says("kind", "calendar#event") || fields["uid"] == nil && fields["id"] != nil {
            self = .google
        } else {
            self = .contract
        }
    }

    /// Without parameters, in small letters.
    static func mediaType(_ contentType: String?) -> String? {
        contentType.map { $0.prefix { $0 != ";" }.lowercased().filter { $0 != " " } }
    }

    /// By its content type, or by how it begins: no JSON value begins like this.
    static func isICalendar(_ bytes: UnsafeRawBufferPointer, contentType: String?) -> Bool {
        if mediaType(contentType) == "text/calendar" { return true }
        let begin = bytes.drop { [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }.prefix(15)
        return String(decoding: begin, as: UTF8.self).uppercased() == "BEGIN:VCALENDAR"
    }
}

/// What a record's key says of the events in it.
struct CalendarRecordKey {
    let calendarId: String?

    /// `calendarId`, or a key of the contract that begins with it; both with `%` and `/` percent-encoded.
    init(_ bytes: UnsafeRawBufferPointer?) {
        guard let text = bytes.flatMap({ String(validating: $0, as: UTF8.self) }), !text.isEmpty else {
            calendarId = nil
            return
        }
        let first = text.prefix { $0 != "/" }
        calendarId = (try? EventKey(text: "\(first)/-"))?.calendarId
    }

    func requiredCalendarId() throws(MessageProblem) -> String {
        guard let calendarId else {
            throw MessageProblem(
                .missing, field: "key", "must be calendarId or calendarId/uid, as the value names none")
        }
        return calendarId
    }

    /// The one that the value names, else the key's.
    func calendarId(in fields: MessageFields) throws(MessageProblem) -> String {
        if let named = try fields.identifier("calendarId"), !named.isEmpty { return named }
        return try requiredCalendarId()
    }
}
