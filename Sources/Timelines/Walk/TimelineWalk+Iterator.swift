extension TimelineWalk {
    package struct Iterator: IteratorProtocol {
        /// Nil once nothing more comes.
        private var upcoming: (at: Instant, cause: Cause)?
        private var making: TimelineMaking?
        private let until: Instant
        private var made: Made?
        /// The timeline of a configuration that is not made any more.
        private var only: Step?

        /// What the next timeline is compared with.
        private struct Made {
            var step: Step
            var digest: ContentDigest
        }

        init(_ making: TimelineMaking, from at: Instant, until: Instant) {
            self.making = making
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
            guard let (at, cause) = upcoming, at <= until, var making else { return nil }
            let timeline = making.timeline(at: at)
            upcoming = making.next(after: timeline)
            self.making = making
            return publish(timeline, at: at, cause, making.configuration)
        }

        /// Counts as the pipeline does: the same content keeps the revision.
        private mutating func publish(
            _ timeline: Timeline, at: Instant, _ cause: Cause, _ configuration: WidgetConfiguration
        ) -> Step {
            let digest = ContentDigest(of: timeline, kind: configuration.kind, family: configuration.family)
            let isSame = made?.digest.isSameContent(as: digest, at: at) ?? false
            let step = Step(
                at: at, cause: cause, timeline: timeline,
                revision: (made?.step.revision ?? 0) + (isSame ? 0 : 1),
                refreshCount: (made?.step.refreshCount ?? 0) + 1,
                isVisibleChange: made?.digest.isVisibleChange(to: digest, at: at) ?? true)
            made = Made(step: step, digest: digest)
            return step
        }
    }
}
