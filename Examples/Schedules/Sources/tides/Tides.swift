import Foundation
import Timelines

/// Prints the timelines of a widget that shows the tides of a harbour, for one day.
@main
struct Tides {
    static func main() {
        guard let noon = Instant(rfc3339: "2026-11-20T12:00:00Z"), let calendar = LocalCalendar("Europe/Berlin") else {
            preconditionFailure("The date and the zone exist.")
        }
        let schedule = TidesTimelineSchedule(highWater: Date(Instant(milliseconds: noon.milliseconds - 20 * 60_000)))
        var configuration = WidgetConfiguration(
            configurationId: "pier", kind: "Tides",
            strategy: TidesStrategy(schedule: schedule, highWater: 3.9, lowWater: 0.6))
        configuration.family = .systemSmall
        configuration.timeZone = calendar.timeZone
        configuration.parameters["harbour"] = .string("Cuxhaven")

        var due: Instant? = noon
        for _ in 0..<2 {
            guard let at = due else { break }
            let timeline = TimelineProvider.timeline(for: TimelineRequest(configuration: configuration, at: at))
            print("Timeline made at \(text(at, calendar)):")
            for entry in timeline.entries {
                let height = entry.values?.first.map { "\($0.value) m" } ?? ""
                print("  \(text(entry.date, calendar))  \(height)  \(entry.id)")
            }
            due = timeline.nextUpdate
            print("  next: \(due.map { text($0, calendar) } ?? "never")")
        }
    }

    /// The local date and time, such as `2026-11-20 13:00:00`.
    private static func text(_ instant: Instant, _ calendar: LocalCalendar) -> String {
        let (date, time) = (calendar.date(at: instant), calendar.time(at: instant))
        return String(
            format: "%04d-%02d-%02d %02d:%02d:%02d", date.year, date.month, date.day, time.hour, time.minute,
            time.second)
    }
}
