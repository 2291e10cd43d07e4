import StreamCore
import Timelines

/// The state of a configuration at its task: the record, the answers of its sources, the timelines that were published.
struct ConfigurationState {
    /// The record's value; `nil` means that the configuration was deleted, and only its counters stay.
    var value: [UInt8]?
    var origin: Origin?
    /// The digest of the declaration of its kind that the configuration was adopted under; 0 if the kind was not
    /// declared.
    var kindDigest: UInt64 = 0
    /// The trace of the configuration's record, for the first timeline that is made of it.
    var traceParent: [UInt8]?
    var deletedAt: Instant?

    // MARK: Owned by ConfigurationSources

    /// The version of the subscriptions: older answers do not count.
    var version: SubscriptionVersion = 0
    var sources: [Source] = []
    /// The instant of a renewal that waits for the snapshots of its sources.
    var renewal: Instant?
    /// A source has other data than the published timeline was made of.
    var hasNewData = false

    // MARK: Owned by PendingTimelines

    /// A timeline that is to be made.
    var pending: PendingTimeline?

    // MARK: Owned by TimelinePublisher

    var history = PublicationHistory()
    /// `nil` if no timeline is published: then `history.newest` is `nil`, too.
    var published: Published?
    /// A timeline from before a reset is in the topic, and nothing was published over it since.
    var hasUnclaimedTimeline = false

    // MARK: Owned by RecipientReloads

    /// The bucket as the recipient's task said last; `nil` means that it said nothing yet, so the bucket is full.
    var bucket: TokenBucket?

    struct Source {
        var id: SourceID
        var isAnswered = false
        /// A snapshot was asked for and is not there yet.
        var isAwaited = false
        var revision: SourceRevision = 0
        var content: SourceContent?

        init(id: SourceID) {
            self.id = id
        }
    }

    /// The published timeline as far as its history does not tell.
    struct Published {
        /// It shows that something could not be had.
        var isFailure: Bool
        /// `ContentRules.version` by which it was made; 0 in the state of releases that wrote none.
        var rules = 0
        /// It says that the timeline was too large.
        var isTooLarge = false
    }

    init() {}

    var areAllAnswered: Bool { sources.allSatisfy(\.isAnswered) }

    var hasVehicle: Bool { sources.contains { !$0.id.isCalendar } }
}
