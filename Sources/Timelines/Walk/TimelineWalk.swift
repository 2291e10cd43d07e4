/// The timelines of one configuration over a stretch of time, one after the other, as the pipeline makes them
/// (T12): when the configuration comes, when a timeline is due, and when its vehicle has news.
///
/// Each step is made when it is asked for. A walk may be iterated any number of times, with the same result.
package struct TimelineWalk: Sequence {
    /// A configuration that cannot be used has one timeline, which says why (T15).
    package let configuration: Result<WidgetConfiguration, ConfigurationProblem>
    /// The instant at which the configuration comes.
    package let at: Instant
    /// The last instant for which a timeline may be made.
    package let until: Instant
    private let sources: any TimelineSources
    /// The parameters of an unusable configuration, which its entry carries.
    private let parameters: Parameters

    /// - Parameter parameters: the parameters of a configuration that cannot be used.
    /// - Precondition: `until` is not before `at`.
    package init(
        of configuration: Result<WidgetConfiguration, ConfigurationProblem>, parameters: Parameters = Parameters(),
        from at: Instant, until: Instant, sources: any TimelineSources
    ) {
        precondition(at <= until, "a walk does not go back")
        self.configuration = configuration
        self.parameters = parameters
        self.at = at
        self.until = until
        self.sources = sources
    }

    package init(
        of configuration: WidgetConfiguration, from at: Instant, until: Instant, sources: any TimelineSources
    ) {
        self.init(of: .success(configuration), from: at, until: until, sources: sources)
    }

    package func makeIterator() -> Iterator {
        switch configuration {
        case .success(let configuration):
            return Iterator(WalkedConfiguration(configuration, sources), from: at, until: until)
        case .failure(let problem):
            let timeline = TimelineProvider.errorTimeline(problem, at: at, parameters: parameters)
            return Iterator(only: Step(first: timeline, at: at))
        }
    }
}

extension TimelineWalk.Step {
    fileprivate init(first timeline: Timeline, at: Instant) {
        self.init(
            at: at, cause: .configuration, timeline: timeline, revision: 1, refreshCount: 1, isVisibleChange: true)
    }
}

extension TimelineWalk {
    /// A timeline as the pipeline would publish it.
    package struct Step: Hashable, Sendable {
        /// The instant for which the timeline was made: the due date, if it is a renewal.
        package var at: Instant
        package var cause: Cause
        package var timeline: Timeline
        /// The revision, from 1 on; the same content keeps it (T6).
        package var revision: Revision
        /// The number of the timeline, from 1 on.
        package var refreshCount: Int64
        /// True if a reload may announce the timeline, as it may announce the first one of each configuration.
        package var isVisibleChange: Bool
    }

    /// Why a timeline is made (T12). Of several causes at one instant the first of this order is named.
    package enum Cause: Hashable, Sendable {
        case configuration
        /// Something is known of its vehicle for the first time.
        case firstHeardOf
        /// Telemetry has changed the vehicle's status.
        case statusChange(from: VehicleStatus, to: VehicleStatus)
        /// Nothing was heard of the vehicle for this length.
        case silence(ElapsedTime)
        /// The vehicle changed as much as `sensitivity` says.
        case sensitivity
        /// The timeline before asked for it.
        case renewal
    }
}

extension TimelineWalk {
    package struct Iterator: IteratorProtocol {
        /// When the next timeline is made, and why; `nil` once nothing more comes.
        private var upcoming: (at: Instant, cause: Cause)?
        private var walked: WalkedConfiguration?
        private let until: Instant
        /// What was made, for a recipient that is told of each visible change at once.
        private var history = PublicationHistory()
        /// The timeline of a configuration whose timelines are not made anew.
        private var only: Step?

        init(_ walked: WalkedConfiguration, from at: Instant, until: Instant) {
            self.walked = walked
            self.until = until
            upcoming = (at, .configuration)
        }

        init(only step: Step) {
            only = step
            until = step.at
        }

        package mutating func next() -> Step? {
            if let only {
                self.only = nil
                return only
            }
            guard let (at, cause) = upcoming, at <= until, var walked else { return nil }
            let timeline = walked.timeline(at: at)
            upcoming = walked.next(after: timeline)
            self.walked = walked
            return publish(timeline, at: at, cause, walked.configuration)
        }

        private mutating func publish(
            _ timeline: Timeline, at: Instant, _ cause: Cause, _ configuration: WidgetConfiguration
        ) -> Step {
            let digest = ContentDigest(of: timeline, kind: configuration.kind, family: configuration.family)
            let publication = history.publish(digest, at: at)
            if publication.isVisibleChange { _ = history.announce(publication.revision, digest, at: at) }
            return Step(
                at: at, cause: cause, timeline: timeline, revision: publication.revision,
                refreshCount: publication.refreshCount, isVisibleChange: publication.isVisibleChange)
        }
    }
}

/// Tells a walk what is known of vehicles and calendars at any instant, in place of the pipeline's input topics.
///
/// The sources are pure: the same question has the same answer at any time.
package protocol TimelineSources {
    /// The vehicle as it is known at an instant; `nil` means that nothing has come of it.
    func vehicle(_ vehicleId: String, at instant: Instant) -> Vehicle?

    /// The first instant later than `instant` at which something more comes of the vehicle; `nil` means that nothing
    /// does.
    func nextArrival(of vehicleId: String, after instant: Instant) -> Instant?

    /// The occurrences of a calendar that the window includes, and others if that is easier, without cancelled ones.
    func occurrences(of calendarId: String, in window: AgendaWindow) -> [Occurrence]
}
