import Foundation
import Timelines

/// An entry for each turn of the tide, with the height of the water.
///
/// At night, from 22:00 to 06:00 local time, nobody looks: there is no entry then, and the timeline after the last one
/// by day is due in the morning.
struct TidesStrategy: TimelineStrategy {
    static let name = "tides"

    var schedule: TidesTimelineSchedule
    /// Metres above chart datum.
    var highWater: Double
    var lowWater: Double

    func draft(for request: TimelineRequest) -> TimelineDraft {
        let calendar = request.calendar
        var draft = TimelineDraft(ticksOf: schedule, for: request) { moment in
            var entry = TimelineEntry(.tick, at: moment.date)
            let height = schedule.isHigh(at: Date(moment.date)) ? highWater : lowWater
            entry.values = [.init(name: "height", value: height)]
            return entry
        }
        // The entry in force stays, whenever it began.
        draft.moments.removeAll { moment in
            moment.date > request.at && !isDay(calendar.time(at: moment.date))
        }
        let morning = calendar.instant(of: calendar.nextDay(after: request.at).date, at: LocalTime(hour: 6, minute: 0))
        draft.policy = .after(morning)
        return draft
    }

    /// Nothing of vehicles or calendars is shown.
    func needs(of configuration: WidgetConfiguration) -> SourceNeeds { SourceNeeds() }

    private func isDay(_ time: LocalTime) -> Bool {
        LocalTime(hour: 6, minute: 0) <= time && time < LocalTime(hour: 22, minute: 0)
    }
}
