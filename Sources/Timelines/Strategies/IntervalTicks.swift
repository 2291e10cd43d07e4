/// How far ticks at an even interval reach.
package enum TickSpan: Hashable, Sendable {
    case duration(CalendarDuration)
    /// The ticks reach as far as T4 allows.
    case limit
}

/// Ticks at `at + k·every`, as far as they can stay within a limit.
struct IntervalTicks {
    var moments: [TimelineDraft.Moment] = []
    /// The first date within the span that is beyond the limit; `nil` means that there is none.
    var firstLeftOut: Instant?

    /// - Parameter last: the last date, which replaces the first one that is not before it.
    init(every: CalendarDuration, span: TickSpan, until last: Instant? = nil, for request: TimelineRequest) {
        let calendar = request.calendar
        let limit = request.configuration.limit
        let end =
            switch span {
            case .duration(let duration): calendar.adding(duration, to: request.at)
            case .limit: Instant(milliseconds: .max)
            }
        for number in 0...limit {
            // Counted from `at`: a local time that a gap moved does not move the ones after it.
            let nominal = calendar.adding(every * number, to: request.at)
            guard nominal < end else { return }
            let date = last.map { min($0, nominal) } ?? nominal
            if number == limit {
                firstLeftOut = span == .limit ? nil : date
            } else {
                moments.append(.tick(date, number))
            }
            if date == last { return }
        }
    }

    func draft(interval: CalendarDuration) -> TimelineDraft {
        var draft = TimelineDraft(moments, policy: .atEnd, interval: interval)
        draft.firstLeftOut = firstLeftOut
        return draft
    }
}

extension OptionForm<TickSpan> {
    static var spanOrLimit: Self {
        let interval = OptionForm<CalendarDuration>.interval
        return OptionForm(
            allowed: "\"limit\", or \(interval.allowed)",
            schema: ["anyOf": [interval.schema, ["const": "limit"]]],
            readPart: { value, path throws(ConfigurationProblems) in
                if value == .string("limit") { return .limit }
                return try interval.read(value, path).map { .duration($0) }
            },
            write: { span in
                switch span {
                case .duration(let duration): interval.write(duration)
                case .limit: .string("limit")
                }
            })
    }
}

extension CalendarDuration {
    /// The interval in a mode: in `lowFrequency` it is no shorter than PT15M (T14).
    func slowed(for mode: TimelineScheduleMode) -> CalendarDuration {
        let shortest = CalendarDuration.minutes(15)
        return mode == .lowFrequency && nominal < shortest.nominal ? shortest : self
    }
}
