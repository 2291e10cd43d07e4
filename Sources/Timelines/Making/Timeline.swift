/// When a timeline asks for the next one: WidgetKit's `TimelineReloadPolicy`.
public enum TimelineReloadPolicy: Hashable, Sendable {
    /// The next timeline is due at the date of the last entry.
    case atEnd
    /// The next timeline is due at an instant.
    case after(Instant)
    /// No timeline is due until something changes.
    case never
}

/// The entries of a widget from one instant on, and when the next timeline is due.
public struct Timeline: Hashable, Sendable {
    /// One entry or more, ascending by date; the first one is in force at the instant for which the timeline was made.
    public var entries: [TimelineEntry]
    /// When the timeline asks for the next one.
    public var policy: TimelineReloadPolicy
    /// The instant at which the next timeline is due, later than the one for which this one was made; `nil` means
    /// never.
    public var nextUpdate: Instant?
    /// The instant until which what is shown can be believed (T5); `nil` means for ever.
    public var validUntil: Instant?

    /// A timeline of these parts. `TimelineProvider` makes timelines that keep the rules.
    public init(entries: [TimelineEntry], policy: TimelineReloadPolicy, nextUpdate: Instant?, validUntil: Instant?) {
        self.entries = entries
        self.policy = policy
        self.nextUpdate = nextUpdate
        self.validUntil = validUntil
    }
}

/// What every entry carries, whatever strategy made it. It comes last, so that only entries that stay pay.
extension Timeline {
    /// The timeline with the ids, parameters and relevance of its entries (T7 to T9).
    consuming func finished(with parameters: Parameters, in calendar: LocalCalendar) -> Timeline {
        for index in entries.indices {
            entries[index].finish(with: parameters, in: calendar)
        }
        return self
    }
}

extension TimelineEntry {
    fileprivate mutating func finish(with parameters: Parameters, in calendar: LocalCalendar) {
        relevance = relevance(in: calendar)
        id = identifier
        self.parameters = parameters
    }

    private func relevance(in calendar: LocalCalendar) -> Relevance? {
        switch phase {
        case .start:
            let length = heldEvent.map { calendar.interval(of: $0.value.when) }.map { $0.end - $0.start }
            return Relevance(score: 1.0, duration: length.map(\.wholeSeconds))
        case .preEvent:
            let lead = heldEvent.map { calendar.interval(of: $0.value.when).start - date }
            return Relevance(score: 0.7, duration: lead.map(\.wholeSeconds))
        case .status:
            return Relevance(score: heldVehicle?.value.status == VehicleStatus.moving.rawValue ? 0.8 : 0.5)
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
    /// The id of the entry (T7): `preEvent/<calendarId>/<uid>/<occurrence>`, likewise for `start` and `end`, and
    /// `<phase>/<date>` for the others.
    var identifier: String {
        switch (phase, heldEvent?.value) {
        case (.preEvent, let event?), (.start, let event?), (.end, let event?):
            return "\(phase.rawValue)/\(event.calendarId)/\(event.uid)/\(event.identifyingMoment.text)"
        default:
            var phase = phase.rawValue
            return phase.withUTF8 { phase in
                String(unsafeUninitializedCapacity: phase.count + 1 + Instant.textRoom) { memory in
                    memory[memory.initialize(fromContentsOf: phase)] = UInt8(ascii: "/")
                    return phase.count + 1 + date.writeText(to: memory.baseAddress! + phase.count + 1)
                }
            }
        }
    }
}
