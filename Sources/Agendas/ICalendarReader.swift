import Timelines

/// Takes an iCalendar text apart into its components, and makes events of them when a VCALENDAR ends: zones may be
/// defined after they are used.
struct ICalendarReader {
    private let calendarId: String
    private var result = ICalendarImport(events: [], problems: [])
    /// What is open, from the outside in.
    private var open: [Component] = []
    private var events: [Component] = []
    private var zones = ICalendarZones()

    struct Component {
        var name: String
        var line: Int
        /// Its own lines; of a VTIMEZONE those of its parts, too.
        var lines: [ContentLine] = []
    }

    init(calendarId: String) {
        self.calendarId = calendarId
    }

    mutating func take(_ line: ContentLine) {
        switch line.name {
        case "BEGIN": begin(line)
        case "END": end(line)
        case "X-WR-TIMEZONE" where open.last?.name == "VCALENDAR":
            zones.floating = ZoneName.iana(line.value)
            if zones.floating == nil { report(line.number, "X-WR-TIMEZONE \(line.value) is not known") }
            result.timeZone = result.timeZone ?? zones.floating
        default:
            guard let last = open.indices.last else {
                // Once is enough for a file of another kind.
                if result.problems.isEmpty { report(line.number, "lies outside of a VCALENDAR") }
                return
            }
            open[last].lines.append(line)
        }
    }

    /// What has been read; components that are still open are left out.
    consuming func finish() -> ICalendarImport {
        for component in open where component.name == "VEVENT" { report(component.line, "VEVENT has no END") }
        closeCalendar()
        return result
    }

    // MARK: - Components

    private mutating func begin(_ line: ContentLine) {
        let name = line.value.uppercased()
        if name == "VEVENT", let unclosed = open.last, unclosed.name == "VEVENT" {
            report(unclosed.line, "VEVENT has no END")
            open.removeLast()
        }
        open.append(Component(name: name, line: line.number))
    }

    private mutating func end(_ line: ContentLine) {
        let name = line.value.uppercased()
        guard let index = open.lastIndex(where: { $0.name == name }) else {
            report(line.number, "END:\(name) without BEGIN")
            return
        }
        for unclosed in open[(index + 1)...] where unclosed.name == "VEVENT" {
            report(unclosed.line, "VEVENT has no END")
        }
        let component = open[index]
        open.removeSubrange(index...)
        switch name {
        case "VEVENT": events.append(component)
        case "VTIMEZONE": zones.define(component)
        case "STANDARD", "DAYLIGHT":
            guard let outer = open.indices.last, open[outer].name == "VTIMEZONE" else { break }
            open[outer].lines.append(ContentLine(number: component.line, bytes: Array("BEGIN:\(name)".utf8)))
            open[outer].lines += component.lines
            open[outer].lines.append(line)
        case "VCALENDAR": closeCalendar()
        default: break
        }
    }

    private mutating func closeCalendar() {
        for component in events {
            do throws(ICalendarProblem) {
                var builder = EventBuilder(component, calendarId: calendarId, zones: zones)
                result.events.append(try builder.event())
                result.problems += builder.remarks
            } catch {
                result.problems.append(error)
            }
        }
        events = []
        zones = ICalendarZones()
    }

    private mutating func report(_ line: Int, _ reason: String) {
        result.problems.append(ICalendarProblem(line: line, reason: reason))
    }
}
