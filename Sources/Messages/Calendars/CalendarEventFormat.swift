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
