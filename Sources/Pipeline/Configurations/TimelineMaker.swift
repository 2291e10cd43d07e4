import Messages
import RecordLog
import StreamCore
import Timelines

/// Makes the timeline of a configuration from its state: pure, changes nothing.
struct TimelineMaker {
    private let settings: PipelineSettings

    init(_ settings: PipelineSettings) {
        self.settings = settings
    }

    /// A timeline as it is published, with the history that it leaves.
    struct Made {
        var record: TimelineRecord
        /// The history of the configuration once this timeline is published.
        var history: PublicationHistory
        var publication: PublicationHistory.Publication
        /// It says that the timeline was too large.
        var isTooLarge = false
    }

    /// The circumstances of a timeline that does not follow from its configuration and data.
    struct Occasion {
        var at: Instant
        /// The timeline is made of the same data as the one before, for a later time.
        var isTimeAlone: Bool
        var budget: ReloadBudget
    }

    /// Makes the timeline that follows on what was published.
    func make(_ message: ConfigurationMessage, _ state: ConfigurationState, _ occasion: Occasion) -> Made {
        var made = made(timeline(of: message, state, at: occasion.at), message, state, occasion)
        made.isTooLarge = state.hasLeftOut
        return made
    }

    /// Makes the timeline that says that one was too large, in its place.
    ///
    /// - Parameters:
    ///   - tooLarge: the timeline that was made.
    ///   - bytes: its size.
    func make(
        insteadOf tooLarge: Made, of bytes: Int, _ message: ConfigurationMessage, _ state: ConfigurationState,
        _ occasion: Occasion
    ) -> Made {
        let problem = ConfigurationProblem(
            key: "maximumEntries",
            "the timeline has \(bytes) bytes, at most \(settings.timelineBytesMax) are allowed")
        var error = TimelineProvider.errorTimeline(problem, at: occasion.at)
        // What was too large is past at some time: the next timeline is due when the one after it would have been.
        if let due = tooLarge.record.timeline.nextUpdate { error.expire(at: due) }
        var made = made(error, message, state, occasion)
        made.isTooLarge = true
        return made
    }

    private func made(
        _ timeline: Timeline, _ message: ConfigurationMessage, _ state: ConfigurationState, _ occasion: Occasion
    ) -> Made {
        let address = TimelineAddress(message)
        let digest = ContentDigest(of: timeline, kind: address.kind, family: address.family)
        var history = state.history
        let publication = history.publish(digest, at: occasion.at, isTimeAlone: occasion.isTimeAlone)
        let record = TimelineRecord(
            configurationId: address.configurationId, kind: address.kind, family: address.family,
            recipient: address.recipient, revision: publication.revision, generatedAt: occasion.at,
            timeline: timeline, refreshCount: publication.refreshCount, budget: occasion.budget,
            sources: sources(of: state))
        return Made(record: record, history: history, publication: publication)
    }

    /// The timeline at an instant of all that is known.
    func timeline(of message: ConfigurationMessage, _ state: ConfigurationState, at: Instant) -> Timeline {
        switch message {
        case .unusable(let unusable):
            return TimelineProvider.errorTimeline(unusable.problem, at: at, parameters: unusable.parameters)
        case .usable(let configuration):
            if let problem = state.agendasProblem(settings.agendasBytesMax) {
                var error = TimelineProvider.errorTimeline(problem, at: at)
                if let midnight = window(configuration, at: at)?.nextMidnight { error.expire(at: midnight) }
                return error
            }
            let contents = state.sources.compactMap(\.content)
            return settings.contentRules.timeline(
                TimelineRequest(
                    configuration: configuration, vehicle: contents.lazy.compactMap(\.vehicle).first,
                    hasUnreadableSource: contents.contains(where: \.isUnreadable),
                    occurrences: contents.flatMap(\.occurrences), at: at))
        }
    }

    /// The content of the published timeline as the content rules of now make it, of all that is known.
    ///
    /// - Parameter published: the instant for which the timeline was made.
    func remade(_ message: ConfigurationMessage, _ state: ConfigurationState, at published: Instant) -> ContentDigest {
        let address = TimelineAddress(message)
        return ContentDigest(
            of: timeline(of: message, state, at: published), kind: address.kind, family: address.family)
    }

    /// True if the agendas that are known are those of the window at `at`: midnights move it on. Agendas that were left
    /// out and fit by now have to be asked for, too.
    func isCurrent(_ message: ConfigurationMessage, _ state: ConfigurationState, at: Instant) -> Bool {
        guard case .usable(let configuration) = message else { return true }
        if state.hasLeftOut && state.agendasBytes <= settings.agendasBytesMax { return false }
        let windowEnds = state.sources.compactMap { $0.content?.windowEnd }
        guard !windowEnds.isEmpty, let window = window(configuration, at: at) else { return true }
        return windowEnds.allSatisfy { $0 == window.end }
    }

    /// The days that a timeline of `at` shows of calendars; `nil` if it shows none.
    private func window(_ configuration: WidgetConfiguration, at: Instant) -> AgendaWindow? {
        guard let zone = LocalCalendar(configuration.timeZone) else { return nil }
        return TimelineProvider.needs(of: configuration).agenda?.window(at: at, in: zone)
    }

    /// The configuration's record, then the newest records of its vehicle and its calendars.
    private func sources(of state: ConfigurationState) -> [SourceOffset] {
        var sources: [SourceOffset] = []
        sources.reserveCapacity(1 + state.sources.count)
        if let origin = state.origin { sources.append(source(origin)) }
        for source in state.sources {
            if let origin = source.content?.origin { sources.append(self.source(origin)) }
        }
        return sources
    }

    private func source(_ origin: Origin) -> SourceOffset {
        SourceOffset(topic: topic(of: origin), partition: origin.partition.rawValue, offset: origin.offset.rawValue)
    }

    private func topic(of origin: Origin) -> String {
        switch origin.source {
        case 0: return settings.topics.telemetry
        case 1: return settings.topics.calendarEvents
        case 2: return settings.topics.configurations
        default: preconditionFailure("Positions make no timeline.")
        }
    }
}

extension Timeline {
    /// The next timeline is due at an instant.
    fileprivate mutating func expire(at due: Instant) {
        policy = .after(due)
        nextUpdate = due
        validUntil = due
    }

    /// True if the timeline shows that something could not be had.
    var isFailure: Bool {
        switch entries.first?.phase {
        case .error, .placeholder: true
        default: false
        }
    }
}
