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
