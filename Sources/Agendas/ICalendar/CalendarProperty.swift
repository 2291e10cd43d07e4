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

    /// Finds the case of this name, whose letters may be capital or small; `nil` if there is none.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count < Self.byLength.count else { return nil }
        for (name, property) in Self.byLength[bytes.count] where Self.isSame(bytes, name) {
            self = property
            return
        }
        return nil
    }

    private static func isSame(_ bytes: ArraySlice<UInt8>, _ name: [UInt8]) -> Bool {
        for offset in 0..<name.count {
            let byte = bytes[bytes.startIndex + offset]
            let isSmall = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
            guard name[offset] == (isSmall ? byte - 32 : byte) else { return false }
        }
        return true
    }

    var isRecurrence: Bool {
        switch self {
        case .rule, .dates, .exceptionDates, .exceptionRule: true
        default: false
        }
    }

    private static let byLength: [[(name: [UInt8], property: CalendarProperty)]] = (0...13).map { length in
        allCases.map { (Array($0.rawValue.utf8), $0) }.filter { $0.0.count == length }
    }
}
