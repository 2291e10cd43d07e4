extension TimelineWalk {
    package struct Iterator: IteratorProtocol {
        /// When the next timeline is made, and why; `nil` once nothing more comes.
        private var upcoming: (at: Instant, cause: Cause)?
        private var maker: TimelineMaker?
        private let until: Instant
        /// What was made, for a recipient that is told of each visible change at once.
        private var history = PublicationHistory()
        /// The timeline of a configuration whose timelines are not made anew.
        private var only: Step?

        init(_ maker: TimelineMaker, from at: Instant, until: Instant) {
            self.maker = maker
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
            guard let (at, cause) = upcoming, at <= until, var maker else { return nil }
            let timeline = maker.timeline(at: at)
            upcoming = maker.next(after: timeline)
            self.maker = maker
            return publish(timeline, at: at, cause, maker.configuration)
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
