import Arguments
import Foundation
import Messages
import Preview
import Producers
import Timelines

/// Lists the occurrences of calendar files.
struct AgendaCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "agenda",
        abstract: "Lists what calendar files come to in a stretch of time, without a broker.",
        discussion: """
            On a terminal a table by day with local times; elsewhere one JSON object for each occurrence that overlaps \
            [from, to): {uid, recurrenceId?, start, end, allDay, title, status}, instants in UTC, of all-day ones \
            dates, end exclusive. Recurring events are expanded, cancelled ones left out. Floating times count as in \
            the file's X-WR-TIMEZONE, else in --time-zone; all-day dates count in --time-zone, as in a widget of that \
            zone. Without --time-zone it is the first file's X-WR-TIMEZONE, else UTC.

            With --expand none the events themselves, as on the topic calendar.events: masters with their rules, and \
            overrides; all of them, or with --from and --to those that have an occurrence there. A series in a zone \
            that only its file knows has the member iCalendar besides: the text that its record holds.

            A folder stands for all *.ics and *.ics.gz below it. What of a file cannot be used is named on standard \
            error and left out; a file that cannot be read at all ends with status 65, after the others are listed.
            """,
        examples: [
            CommandExample(
                "tideline agenda --ics team.ics --from 2026-11-20 --to 2026-11-27 --time-zone Europe/Berlin",
                "A week, from local midnight to local midnight."),
            CommandExample(
                "tideline agenda --ics team.ics rooms --from 2026-11-20T06:00:00Z --to 2026-11-20T18:00:00Z | jq .uid",
                "Twelve hours of several calendars."),
            CommandExample(
                "tideline agenda --ics team.ics --expand none",
                "The events as they are written, with their recurrence rules."),
        ])

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "iCalendar files, plain or gzip, or folders of them; - is standard input.", valueName: "file"),
        completion: .file(extensions: ["ics", "gz"]))
    var ics: [String]
    @Option(help: ArgumentHelp("The beginning: an instant, or a date for its first moment.", valueName: "time"))
    var from: AgendaTimeArgument?
    @Option(help: ArgumentHelp("The end, which is not included.", valueName: "time"))
    var to: AgendaTimeArgument?
    @Option(
        help: ArgumentHelp(
            "The zone of dates, of the table, and of times that name none; else the first file's.", valueName: "zone"))
    var timeZone: TimeZoneArgument?
    @Option(help: ArgumentHelp("What recurring events are made into.", valueName: "what"))
    var expand: AgendaExpansion = .occurrences
    @Option(help: ArgumentHelp("How the listing is written: a table is for terminals.", valueName: "format"))
    var format: PreviewFormat?

    func validate() throws(ValidationError) {
        if ics.isEmpty { throw ValidationError("'--ics' needs at least one file.") }
        if expand == .occurrences || from != nil || to != nil {
            guard let from else { throw ValidationError("Missing option '--from <time>'.") }
            guard let to else { throw ValidationError("Missing option '--to <time>'.") }
            // If --time-zone is not given, the zone is read out of the first file later.
            if let calendar = timeZone?.calendar, from.instant(in: calendar) >= to.instant(in: calendar) {
                throw ValidationError("'--to' must be after '--from'.")
            }
        }
        if ics.count(where: { $0 == "-" }) > 1 { throw ValidationError("Only one file can be standard input.") }
    }

    func execute() throws(CommandFailure) {
        let found = CalendarInput.find(ics)
        // The first file is read only once, for it may be standard input.
        let first = found.inputs.first.map(CalendarFile.reading)
        let calendar = timeZone?.calendar ?? (try? first?.get())?.calendar ?? .utc
        var range: Range<Instant>?
        if let from, let to {
            let (begin, end) = (from.instant(in: calendar), to.instant(in: calendar))
            guard begin < end else {
                throw CommandFailure(.usage, "'--to' must be after '--from', in \(calendar.timeZone).")
            }
            range = begin..<end
        }
        let listing = read(found.inputs, first, AgendaListing(range: range, in: calendar))
        for problem in listing.leftOut { writeError("left out: \(problem)") }
        for problem in listing.remarks { writeError("warning: \(problem)") }
        switch format ?? (isatty(STDOUT_FILENO) == 1 ? .table : .json) {
        case .json: writeRecords(of: listing)
        case .table: _ = StandardOutput.write(AgendaTable(of: listing, style: .ofStandardOutput).lines)
        }
        let unreadable = found.problems + listing.unreadable
        guard unreadable.isEmpty else {
            throw CommandFailure(.dataError, unreadable.map(\.description).joined(separator: "\ntideline: "))
        }
    }

    private func read(
        _ inputs: [CalendarInput], _ first: CalendarFile.Reading?, _ empty: AgendaListing
    ) -> AgendaListing {
        var listing = empty
        let progress = LateProgress("reading calendars", unit: "files")
        for (index, input) in inputs.enumerated() {
            if Signals.isStopRequested { break }
            let file = index == 0 ? first ?? CalendarFile.reading(input) : CalendarFile.reading(input)
            switch expand {
            case .occurrences: listing.readOccurrences(file)
            case .none: listing.readEvents(file)
            }
            progress.update(completed: index + 1, of: inputs.count)
        }
        progress.finish(completed: inputs.count)
        listing.sort()
        return listing
    }

    private func writeRecords(of listing: AgendaListing) {
        var json = JSONWriter()
        for row in listing.rows {
            row.write(to: &json)
            json.newline()
            guard json.count > 1 << 16 else { continue }
            guard json.withUnsafeBytes(StandardOutput.write), !Signals.isStopRequested else { return }
            json.removeAll()
        }
        _ = json.withUnsafeBytes(StandardOutput.write)
    }
}

/// The choice between the occurrences of events and the events themselves.
enum AgendaExpansion: String, CaseIterable, ExpressibleByArgument {
    case occurrences, none
}

/// An instant in RFC 3339, or a date.
struct AgendaTimeArgument: ExpressibleByArgument {
    private let time: Occurrence.Moment

    init?(argument: String) {
        if let instant = Instant(rfc3339: argument) {
            time = .instant(instant)
        } else if let date = LocalDate(iso8601: argument) {
            time = .date(date)
        } else {
            return nil
        }
    }

    /// The instant; a date stands for its first instant in the calendar's zone.
    func instant(in calendar: LocalCalendar) -> Instant {
        switch time {
        case .instant(let instant): instant
        case .date(let date): calendar.instant(of: date)
        }
    }

    var defaultValueDescription: String {
        switch time {
        case .instant(let instant): instant.rfc3339
        case .date(let date): date.iso8601
        }
    }

    static let allowedDescription: String? =
        "an RFC 3339 instant with offset, such as 2026-11-20T06:25:00Z, or a date, such as 2026-11-20"
}

/// A time zone by its IANA name.
struct TimeZoneArgument: ExpressibleByArgument {
    let calendar: LocalCalendar

    init(calendar: LocalCalendar) {
        self.calendar = calendar
    }

    init?(argument: String) {
        guard let calendar = LocalCalendar(argument) else { return nil }
        self.init(calendar: calendar)
    }

    var defaultValueDescription: String { calendar.timeZone }
    static let allowedDescription: String? = "an IANA name in its exact spelling, such as Europe/Berlin"
}
