public import Positions

/// A timeline as the server holds it: its entries, and for whom and when it was made.
public struct PublishedTimeline: Hashable, Sendable {
    /// An entry, by a name that WidgetKit does not have.
    public typealias Entry = TimelineEntry

    /// The configuration of the widget.
    public var configurationId: String
    /// The widget kind; empty where the configuration names none that can be read.
    public var kind: String
    /// The widget family, such as `systemMedium`; a later server may have families that this library does not know.
    public var family: String
    /// The recipient of the configuration's reloads.
    public var recipient: String
    /// The number of the content, from 1: it rises by one whenever the content differs, and with nothing else.
    public var revision: Int64
    /// The instant for which the timeline was made.
    public var generatedAt: Instant
    /// The number of times that the timeline was made since its configuration came.
    public var refreshCount: Int64
    /// The entries, and when the next timeline is due.
    public var timeline: Timeline
    /// How many entries were left out because their phase is newer than this library: such an entry is none for it.
    public var unknownEntries: Int

    /// A timeline of these parts.
    public init(
        configurationId: String, kind: String, family: String, recipient: String, revision: Int64, generatedAt: Instant,
        refreshCount: Int64, timeline: Timeline, unknownEntries: Int = 0
    ) {
        self.configurationId = configurationId
        self.kind = kind
        self.family = family
        self.recipient = recipient
        self.revision = revision
        self.generatedAt = generatedAt
        self.refreshCount = refreshCount
        self.timeline = timeline
        self.unknownEntries = unknownEntries
    }

    /// The entry in force at an instant: the last one that is not dated later, or the first one before that.
    public func entry(at instant: Instant) -> TimelineEntry? {
        timeline.entries.last { $0.date <= instant } ?? timeline.entries.first
    }
}

/// A timeline, and how sure it is that the server still has the same.
public struct LoadedTimeline: Hashable, Sendable {
    /// The place where the timeline was found.
    public enum Source: Hashable, Sendable {
        /// The cache of the device; the server had the timeline at that instant.
        case cache(at: Instant)
        /// The server has it now: it sent it, or said that the cached one still holds.
        case server
    }

    /// The timeline.
    public var timeline: PublishedTimeline
    /// The place where it was found.
    public var source: Source

    /// A timeline of a source.
    public init(_ timeline: PublishedTimeline, from source: Source) {
        self.timeline = timeline
        self.source = source
    }
}

/// Entries that follow each other in a timeline, not all of them.
public struct EntryWindow: Hashable, Sendable {
    /// The entries, ascending by date.
    public var entries: [TimelineEntry]
    /// The index in the timeline of the first of them.
    public var first: Int
    /// How many entries the timeline has.
    public var total: Int
    /// The index in the timeline of the entry that was asked for; `nil` means that it is not there.
    public var position: Int?

    /// A window of these parts.
    public init(entries: [TimelineEntry], first: Int, total: Int, position: Int?) {
        self.entries = entries
        self.first = first
        self.total = total
        self.position = position
    }
}
