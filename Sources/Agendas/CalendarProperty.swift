/// The names of lines that are read; lines of any other name are passed over.
enum CalendarProperty: String, CaseIterable, Sendable {
    case begin = "BEGIN"
    case end = "END"
    case uid = "UID"
    case start = "DTSTART"
    case endTime = "DTEND"
    case duration = "DURATION"
    case summary = "SUMMARY"
    case location = "LOCATION"
    case status = "STATUS"
    case sequence = "SEQUENCE"
    case lastModified = "LAST-MODIFIED"
    case stamp = "DTSTAMP"
    case recurrenceId = "RECURRENCE-ID"
    case rule = "RRULE"
    case dates = "RDATE"
    case exceptionDates = "EXDATE"
    case exceptionRule = "EXRULE"
    case method = "METHOD"
    case calendarZone = "X-WR-TIMEZONE"
    case zoneName = "TZID"
    case offsetFrom = "TZOFFSETFROM"
    case offsetTo = "TZOFFSETTO"

    /// By its name in any case.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count <= Self.longest else { return nil }
        let capitals = bytes.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 - 32 : $0 }
        guard let known = Self.byName[String(decoding: capitals, as: UTF8.self)] else { return nil }
        self = known
    }

    var isRecurrence: Bool {
        switch self {
        case .rule, .dates, .exceptionDates, .exceptionRule: true
        default: false
        }
    }

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
    private static let longest = 13
}
