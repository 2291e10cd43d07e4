/// When a timeline asks to be made again: WidgetKit's `TimelineReloadPolicy`.
public enum TimelineReloadPolicy: Hashable, Sendable {
    case atEnd
    case after(Instant)
    case never
}

/// A timeline as a strategy makes it for one instant.
public struct Timeline: Hashable, Sendable {
    /// Ascending by date; never empty; the first one is in force at the instant the timeline was made for.
    public var entries: [TimelineEntry]
    public var policy: TimelineReloadPolicy
    /// When the next one is due; absent for `never`, else later than the instant it was made for.
    public var nextUpdate: Instant?
    /// Until when what is shown can be believed (T5).
    public var validUntil: Instant?

    public init(entries: [TimelineEntry], policy: TimelineReloadPolicy, nextUpdate: Instant?, validUntil: Instant?) {
        self.entries = entries
        self.policy = policy
        self.nextUpdate = nextUpdate
        self.validUntil = validUntil
    }
}

/// What every entry carries, whatever made it. Last, so that only entries that stay pay.
extension Timeline {
    /// T7 to T9: ids that stay the same when the timeline is made again, parameters, relevance.
    func finished(with parameters: Parameters, in calendar: LocalCalendar) -> Timeline {
        var timeline = self
        for index in timeline.entries.indices {
            timeline.entries[index].relevance = timeline.entries[index].relevance(in: calendar)
            timeline.entries[index].id = timeline.entries[index].identifier
            timeline.entries[index].parameters = parameters
        }
        return timeline
    }
}

extension TimelineEntry {
    fileprivate func relevance(in calendar: LocalCalendar) -> Relevance? {
        switch phase {
        case .start:
            let length = event.map { calendar.interval(of: $0.when) }.map { $0.end - $0.start }
            return Relevance(score: 1.0, duration: length.map(\.wholeSeconds))
        case .preEvent:
            let lead = event.map { calendar.interval(of: $0.when).start - date }
            return Relevance(score: 0.7, duration: lead.map(\.wholeSeconds))
        case .status:
            return Relevance(score: vehicle?.status == VehicleStatus.moving.rawValue ? 0.8 : 0.5)
        case .error:
            return Relevance(score: 0.3)
        default:
            return nil
        }
    }
}

extension ElapsedTime {
    fileprivate var wholeSeconds: Int64 { milliseconds / 1000 }
}

extension TimelineEntry {
    /// T7: `preEvent/<calendarId>/<uid>/<occurrence>`, likewise `start` and `end`; `<phase>/<date>` for the others.
    var identifier: String {
        switch (phase, event) {
        case (.preEvent, let event?), (.start, let event?), (.end, let event?):
            "\(phase.rawValue)/\(event.calendarId)/\(event.uid)/\(event.identifyingMoment.text)"
        default:
            "\(phase.rawValue)/\(date.rfc3339)"
        }
    }
}
