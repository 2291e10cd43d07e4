/// What every entry carries, whatever made it: relevance, id and parameters. Last, so that only entries that stay pay.
extension Timeline {
    /// Rule 9: how much an entry matters within its timeline.
    func withRelevance(in calendar: LocalCalendar) -> Timeline {
        mapEntries { $0.relevance = $0.relevance(in: calendar) }
    }

    /// Rule 7: ids that stay the same when the timeline is made again.
    func withIdentifiers() -> Timeline {
        mapEntries { $0.id = $0.identifier }
    }

    /// Rule 8.
    func withParameters(_ parameters: Parameters) -> Timeline {
        parameters.isEmpty ? self : mapEntries { $0.parameters = parameters }
    }

    private func mapEntries(_ change: (inout TimelineEntry) -> Void) -> Timeline {
        var timeline = self
        for index in timeline.entries.indices { change(&timeline.entries[index]) }
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
