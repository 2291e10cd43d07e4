import TestSupport
import Timelines

/// Changes of local clocks, each odd in its own way: every rule of T10 is tested at all of them.
///
/// The tables beside the tests are exact instants, reckoned from the tz database and not by the code under test.
enum LocalTimeChange: String, CaseIterable, Sendable {
    case berlinForward, berlinBack
    case newYorkForward, newYorkBack
    /// Half an hour.
    case lordHoweForward, lordHoweBack
    /// At midnight: 4 November 2018 has none, and 17 February has its last hour twice.
    case saoPauloForward, saoPauloBack
    case apiaForward, apiaBack
    /// The whole of 30 December 2011.
    case apiaDateLine

    static let forward: [LocalTimeChange] = [
        .berlinForward, .newYorkForward, .lordHoweForward, .saoPauloForward, .apiaForward, .apiaDateLine,
    ]
    static let back: [LocalTimeChange] = [.berlinBack, .newYorkBack, .lordHoweBack, .saoPauloBack, .apiaBack]

    var zoneName: String {
        switch self {
        case .berlinForward, .berlinBack: "Europe/Berlin"
        case .newYorkForward, .newYorkBack: "America/New_York"
        case .lordHoweForward, .lordHoweBack: "Australia/Lord_Howe"
        case .saoPauloForward, .saoPauloBack: "America/Sao_Paulo"
        case .apiaForward, .apiaBack, .apiaDateLine: "Pacific/Apia"
        }
    }

    var calendar: LocalCalendar { zone(zoneName) }

    /// The last minute of the old time on the wall, the first instant of the new one, and that on the wall.
    var change: (lastMinute: String, instant: String, first: String) {
        switch self {
        case .berlinForward: ("2026-03-29 01:59", "2026-03-29T01:00:00Z", "2026-03-29 03:00")
        case .berlinBack: ("2026-10-25 02:59", "2026-10-25T01:00:00Z", "2026-10-25 02:00")
        case .newYorkForward: ("2026-03-08 01:59", "2026-03-08T07:00:00Z", "2026-03-08 03:00")
        case .newYorkBack: ("2026-11-01 01:59", "2026-11-01T06:00:00Z", "2026-11-01 01:00")
        case .lordHoweForward: ("2026-10-04 01:59", "2026-10-03T15:30:00Z", "2026-10-04 02:30")
        case .lordHoweBack: ("2026-04-05 01:59", "2026-04-04T15:00:00Z", "2026-04-05 01:30")
        case .saoPauloForward: ("2018-11-03 23:59", "2018-11-04T03:00:00Z", "2018-11-04 01:00")
        case .saoPauloBack: ("2018-02-17 23:59", "2018-02-18T02:00:00Z", "2018-02-17 23:00")
        case .apiaForward: ("2011-09-24 02:59", "2011-09-24T14:00:00Z", "2011-09-24 04:00")
        case .apiaBack: ("2011-04-02 03:59", "2011-04-02T14:00:00Z", "2011-04-02 03:00")
        case .apiaDateLine: ("2011-12-29 23:59", "2011-12-30T10:00:00Z", "2011-12-31 00:00")
        }
    }

    /// The first instant of the new time.
    var instant: Instant { at(change.instant) }

    /// The timeline that the strategy `events` makes here, with the configuration's lead and one of its own.
    func timeline(
        of occurrences: [Occurrence], at instant: Instant, lead: String = "PT30M", strategyLead: String? = nil
    ) throws -> Timeline {
        let strategy = try TimelineStrategies.strategy(
            named: "events", options: options(strategyLead.map { [("preEventLead", .string($0))] } ?? []))
        let used = configuration(strategy, timeZone: zoneName) {
            $0.maximumEntries = 100
            $0.preEventLead = lasting(lead)
        }
        return TimelineProvider.timeline(
            for: TimelineRequest(configuration: used, vehicle: nil, occurrences: occurrences, at: instant))
    }
}

/// A date and a time as clocks on the wall show them: `2026-03-29 02:30`.
struct WallTime: Hashable, Sendable {
    var date: LocalDate
    var time: LocalTime

    init(_ text: String) {
        let numbers = text.suffix(5).split(separator: ":").compactMap { Int($0) }
        date = on(String(text.prefix(10)))
        time = LocalTime(hour: numbers[0], minute: numbers[1])
    }

    /// What the clocks show at an instant.
    init(at instant: Instant, in calendar: LocalCalendar) {
        date = calendar.date(at: instant)
        time = calendar.time(at: instant)
    }
}
