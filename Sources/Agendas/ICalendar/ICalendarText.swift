package import Timelines

/// Writes iCalendar (RFC 5545): content lines, folded and escaped.
package struct ICalendarText {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Writes a line as it is. Lines longer than 75 octets are folded between characters (section 3.1).
    package mutating func line(_ text: String) {
        var column = 0
        for character in text.unicodeScalars {
            let octets = UTF8.width(character)
            if column + octets > 75 {
                bytes += "\r\n ".utf8
                column = 1
            }
            bytes += String(character).utf8
            column += octets
        }
        bytes += "\r\n".utf8
    }

    /// Writes a property of type TEXT (section 3.3.11).
    package mutating func text(_ name: String, _ value: String) { line("\(name):\(Self.escaped(value))") }

    package mutating func instant(_ name: String, _ value: Instant) { line("\(name):\(Self.basic(value))") }

    package mutating func date(_ name: String, _ value: LocalDate) {
        line("\(name);VALUE=DATE:\(Self.basic(value.iso8601))")
    }

    /// A date-time in UTC. Date-times of iCalendar have whole seconds.
    package static func basic(_ instant: Instant) -> String { basic(instant.wholeSecond.rfc3339) }

    /// ISO 8601's basic form: without hyphens and colons.
    package static func basic(_ text: String) -> String { String(text.filter { $0 != "-" && $0 != ":" }) }

    /// Escapes backslashes, commas, semicolons and line ends; other control characters, which no text may hold, become
    /// spaces.
    static func escaped(_ text: String) -> String {
        var result = ""
        var followsReturn = false
        for scalar in text.unicodeScalars {
            let isReturn = scalar == "\r"
            switch scalar {
            case "\\", ",", ";": result += "\\\(scalar)"
            case "\r": result += "\\n"
            case "\n": if !followsReturn { result += "\\n" }
            case _ where scalar.value < 0x20 && scalar != "\t" || scalar.value == 0x7f: result += " "
            default: result.unicodeScalars.append(scalar)
            }
            followsReturn = isReturn
        }
        return result
    }
}

extension Instant {
    fileprivate var wholeSecond: Instant {
        Instant(milliseconds: milliseconds - ((milliseconds % 1000) + 1000) % 1000)
    }
}
