import Timelines

/// Takes an iCalendar text apart into its components, and makes events of them when a VCALENDAR ends: zones may be
/// defined after they are used.
struct ICalendarReader {
    private let calendarId: String
    private var problems: [ICalendarProblem] = []
    private var timeZone: String?
    private var drafts = EventDrafts()
    /// The components that are open, from the outside in.
    private var open: [Component] = []
    private var events: [Component] = []
    private var definitions: [Component] = []
    private var zones = ICalendarZones()
    private var isCancelled = false
    private var hasComponent = false

    struct Component {
        var name: String
        var line: Int
        /// The lines of the component; a VTIMEZONE has those of its parts, too.
        var lines: [ContentLine] = []
    }

    init(calendarId: String) {
        self.calendarId = calendarId
    }

    mutating func read(_ line: ContentLine) {
        switch line.property {
        case .begin: begin(line)
        case .end: end(line)
        case .calendarZone where open.last?.name == "VCALENDAR":
            zones.calendar = ZoneName.iana(line.value).flatMap { LocalCalendar($0) }
            if zones.calendar == nil { report(line.number, "X-WR-TIMEZONE \(line.value) is not known", false) }
            timeZone = timeZone ?? zones.calendar?.timeZone
        case .method where open.last?.name == "VCALENDAR":
            isCancelled = line.value.uppercased() == "CANCEL"
        default:
            guard let last = open.indices.last else {
                // Once is enough for a file of another kind.
                if problems.isEmpty { report(line.number, "lies outside of a VCALENDAR") }
                return
            }
            open[last].lines.append(line)
        }
    }

    /// The events that have been read; components that are still open are left out.
    ///
    /// - Parameter isEmpty: true if the text is empty.
    consuming func finish(isEmpty: Bool) -> ICalendarImport {
        if !hasComponent, !isEmpty, problems.isEmpty { report(1, "is no iCalendar text: BEGIN:VCALENDAR is missing") }
        for component in open where component.name == "VEVENT" { report(component.line, "VEVENT has no END") }
        closeCalendar()
        problems += drafts.problems
        problems.sort { $0.line < $1.line }
        return ICalendarImport(events: drafts.events(), problems: problems, timeZone: timeZone)
    }

    // MARK: - Components

    private mutating func begin(_ line: ContentLine) {
        let name = line.value.uppercased()
        hasComponent = true
        if name == "VEVENT", let unclosed = open.last, unclosed.name == "VEVENT" {
            report(unclosed.line, "VEVENT has no END")
            open.removeLast()
        }
        // Nothing that means anything lies deeper.
        guard open.count < 16 else { return }
        open.append(Component(name: name, line: line.number))
        if name == "STANDARD" || name == "DAYLIGHT" { open[open.count - 1].lines.append(line) }
    }

    private mutating func end(_ line: ContentLine) {
        let name = line.value.uppercased()
        guard let index = open.lastIndex(where: { $0.name == name }) else {
            report(line.number, "END:\(name) without BEGIN", false)
            return
        }
        for unclosed in open[(index + 1)...] where unclosed.name == "VEVENT" {
            report(unclosed.line, "VEVENT has no END")
        }
        let component = open[index]
        open.removeSubrange(index...)
        switch name {
        case "VEVENT": events.append(component)
        case "VTIMEZONE": definitions.append(component)
        case "STANDARD", "DAYLIGHT":
            guard let outer = open.indices.last, open[outer].name == "VTIMEZONE" else { break }
            open[outer].lines += component.lines
            open[outer].lines.append(line)
        case "VCALENDAR": closeCalendar()
        default: break
        }
    }

    private mutating func closeCalendar() {
        for component in definitions {
            do throws(ICalendarProblem) {
                try zones.define(component)
            } catch {
                problems.append(error)
            }
        }
        for component in events {
            var builder = EventBuilder(component, calendarId: calendarId, isCancelled: isCancelled)
            do throws(ICalendarProblem) {
                drafts.add(try builder.draft(&zones))
                problems += builder.remarks
            } catch {
                problems.append(error)
            }
        }
        events = []
        definitions = []
        zones = ICalendarZones()
        isCancelled = false
    }

    private mutating func report(_ line: Int, _ reason: String, _ isLeftOut: Bool = true) {
        problems.append(ICalendarProblem(line: line, reason: reason, isLeftOut: isLeftOut))
    }
}
