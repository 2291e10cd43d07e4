/// The timelines of one configuration over a stretch of time, one after the other, as the pipeline makes them
/// (T12): when the configuration comes, when a timeline is due, and when its vehicle has news.
///
/// Lazy: each step is made when it is asked for. A walk may be iterated any number of times, with the same result.
package struct TimelineWalk: Sequence {
    /// A configuration that cannot be used has one timeline, which says why (T15).
    package let configuration: Result<WidgetConfiguration, ConfigurationProblem>
    /// When the configuration comes.
    package let at: Instant
    /// The last instant for which a timeline may be made.
    package let until: Instant
    private let sources: any TimelineSources
    /// What an unusable configuration's entry carries.
    private let parameters: Parameters

    /// - Parameter parameters: those of a configuration that cannot be used.
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
            return Iterator(TimelineMaker(configuration, sources), from: at, until: until)
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
