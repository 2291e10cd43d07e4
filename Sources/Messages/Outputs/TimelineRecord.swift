package import Timelines

/// A value of the `timelines` topic (M7): a timeline, its configuration and recipient, and the sources that it was made
/// of.
package struct TimelineRecord: Hashable, Sendable {
    package var configurationId: String
    package var kind: String
    package var family: WidgetFamily
    package var recipient: String
    /// The revision, from 1. It rises by one whenever the content differs, and with nothing else (T6).
    package var revision: Revision
    package var generatedAt: Instant
    package var timeline: Timeline
    /// The number of times that the timeline was made since its configuration came, from 1.
    package var refreshCount: Int64
    /// The reloads that its configuration had left when it was made; `nil` means that they were not known.
    package var budget: ReloadBudget?
    package var sources: [SourceOffset]

    package init(
        configurationId: String, kind: String, family: WidgetFamily, recipient: String, revision: Revision,
        generatedAt: Instant, timeline: Timeline, refreshCount: Int64, budget: ReloadBudget? = nil,
        sources: [SourceOffset] = []
    ) {
        self.configurationId = configurationId
        self.kind = kind
        self.family = family
        self.recipient = recipient
        self.revision = revision
        self.generatedAt = generatedAt
        self.timeline = timeline
        self.refreshCount = refreshCount
        self.budget = budget
        self.sources = sources
    }
}

/// The record of an input topic that a timeline was made from.
package struct SourceOffset: Hashable, Sendable {
    package var topic: String
    package var partition: Int32
    package var offset: Int64

    package init(topic: String, partition: Int32, offset: Int64) {
        self.topic = topic
        self.partition = partition
        self.offset = offset
    }
}
