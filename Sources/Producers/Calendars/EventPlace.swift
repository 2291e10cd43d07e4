/// The place of a VEVENT in an iCalendar text, whether it can be used or not.
package struct EventPlace: Hashable, Sendable {
    /// The UID; empty if it has none.
    package var uid: String
    /// True if it has a RECURRENCE-ID.
    package var isOverride: Bool
    /// The lines from its BEGIN to its END, or to the line at which it breaks off; counted from 1.
    package var lines: ClosedRange<Int>

    /// The places of all VEVENTs, in the order of the text.
    static func all(in text: [UInt8]) -> [EventPlace] {
        var places: [EventPlace] = []
        var open: EventPlace?
        var number = 0
        for line in LogicalLines(text) {
            number = line.number
            switch line.text.uppercased() {
            case "BEGIN:VEVENT":
                if let open { places.append(open) }
                open = EventPlace(uid: "", isOverride: false, lines: number...number)
            case "END:VEVENT", "END:VCALENDAR":
                if let open { places.append(open.upTo(number)) }
                open = nil
            default:
                open?.read(line.text)
            }
            open = open?.upTo(number)
        }
        if let open { places.append(open) }
        return places
    }

    private func upTo(_ line: Int) -> EventPlace {
        EventPlace(uid: uid, isOverride: isOverride, lines: lines.lowerBound...line)
    }

    private mutating func read(_ line: String) {
        let name = line.prefix { $0 != ":" && $0 != ";" }.uppercased()
        if name == "RECURRENCE-ID" { isOverride = true }
        guard name == "UID", uid.isEmpty, let colon = line.firstIndex(of: ":") else { return }
        uid = String(line[colon...].dropFirst()).replacing("\\,", with: ",").replacing("\\;", with: ";")
            .replacing("\\\\", with: "\\")
    }
}

/// The lines of a text by the number of their first one, folds undone (RFC 5545 §3.1). A line ends at CRLF, LF or CR.
private struct LogicalLines: Sequence, IteratorProtocol {
    private let text: [UInt8]
    private var index = 0
    private var number = 0

    init(_ text: [UInt8]) {
        let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]
        index = text.starts(with: byteOrderMark) ? byteOrderMark.count : 0
        self.text = text
    }

    mutating func next() -> (number: Int, text: String)? {
        guard var line = physicalLine() else { return nil }
        let first = number
        while index < text.count, text[index] == 0x20 || text[index] == 0x09, let more = physicalLine() {
            line += more.dropFirst()
        }
        return (first, String(decoding: line, as: UTF8.self))
    }

    private mutating func physicalLine() -> ArraySlice<UInt8>? {
        guard index < text.count else { return nil }
        let end = text[index...].firstIndex { $0 == 0x0a || $0 == 0x0d } ?? text.count
        defer {
            let isPair = end + 1 < text.count && text[end] == 0x0d && text[end + 1] == 0x0a
            index = end + (isPair ? 2 : 1)
            number += 1
        }
        return text[index..<end]
    }
}
