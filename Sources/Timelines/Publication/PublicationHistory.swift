/// The timelines that were published for one configuration, as far as the next one depends on them: which revision it
/// gets (T6), and whether a reload may announce it (L1, L2 and L7).
///
/// The history is a pure value. The pipeline keeps one in the state of each configuration, and the walk of a preview
/// keeps one whose recipient is told of each visible change at once. Whoever may still discard a timeline, because it
/// is too large, publishes it in a copy of the history and keeps the copy only if the timeline goes out.
package struct PublicationHistory: Hashable, Sendable {
    /// The number of the newest timeline's content: 0 before the first timeline, then 1 and one more with each content
    /// that differs. A deletion does not reset it.
    package private(set) var revision: Revision
    /// How many timelines were published since the configuration came, or came back after a deletion.
    package private(set) var refreshCount: Int64
    /// The newest timeline; `nil` before the first one and after a deletion.
    package private(set) var newest: Published?
    /// What the recipient displays, which may be older than the newest timeline.
    package private(set) var displayed: Displayed
    /// The revision that was offered to the recipient's task and, as far as is known here, is not announced yet. `nil`
    /// means that no offer is open.
    package private(set) var offered: Revision?
    /// The newest timeline's content as the content rules of this release make it of the same data. `nil` means that
    /// these rules did make it, or that nothing had to be compared since.
    package private(set) var remade: ContentDigest?

    /// A published timeline, as far as later ones are compared with it.
    package struct Published: Hashable, Sendable {
        /// The instant for which it was made.
        package var at: Instant
        package var digest: ContentDigest

        package init(at: Instant, digest: ContentDigest) {
            self.at = at
            self.digest = digest
        }
    }

    /// What a recipient displays of a configuration: what was announced last or, once the `nextUpdate` of what it
    /// displayed has passed, what was the newest timeline then (L7).
    package struct Displayed: Hashable, Sendable {
        /// The newest revision when the recipient loaded the timeline; 0 means that it displays nothing yet.
        ///
        /// A later revision may have the same content without having been loaded: an announcement of a revision in
        /// between may still be under way.
        package var revision: Revision
        /// The displayed content; `nil` means that it is the newest timeline's.
        package var digest: ContentDigest?

        package init(revision: Revision, digest: ContentDigest? = nil) {
            self.revision = revision
            self.digest = digest
        }

        /// A recipient that has loaded nothing yet displays this.
        package static let nothing = Displayed(revision: 0)
    }

    /// The history before the first timeline.
    package init() {
        self.init(revision: 0, refreshCount: 0, newest: nil, displayed: .nothing, offered: nil, remade: nil)
    }

    /// A history of stored fields, each as the property of its name says.
    package init(
        revision: Revision, refreshCount: Int64, newest: Published?, displayed: Displayed, offered: Revision?,
        remade: ContentDigest?
    ) {
        self.revision = revision
        self.refreshCount = refreshCount
        self.newest = newest
        self.displayed = displayed
        self.offered = offered
        self.remade = remade
    }

    /// The content that the recipient displays; `nil` means that it displays nothing yet.
    package var displayedDigest: ContentDigest? {
        displayed.revision == 0 ? nil : displayed.digest ?? comparableDigest
    }

    /// The newest content, as the content rules of this release make it; `nil` means that nothing is published.
    private var comparableDigest: ContentDigest? { newest.map { remade ?? $0.digest } }
}

// MARK: - Publishing

extension PublicationHistory {
    /// What the publication of a timeline brings.
    package struct Publication: Hashable, Sendable {
        /// The timeline's revision, from 1 on: the one before, if the content is the same (T6).
        package var revision: Revision
        /// The timeline's number since the configuration came, from 1 on.
        package var refreshCount: Int64
        /// True if the content differs from that of the timeline before; the first timeline differs.
        package var hasNewContent: Bool
        /// True if the recipient, without being told, would display something else than this timeline (L1).
        package var isVisibleChange: Bool

        package init(revision: Revision, refreshCount: Int64, hasNewContent: Bool, isVisibleChange: Bool) {
            self.revision = revision
            self.refreshCount = refreshCount
            self.hasNewContent = hasNewContent
            self.isVisibleChange = isVisibleChange
        }
    }

    /// Makes a timeline the newest one, and says what that brings.
    ///
    /// What the recipient displays is judged against the timelines up to the one before, and only then the revision
    /// moves on.
    ///
    /// - Parameters:
    ///   - digest: the content of the timeline.
    ///   - at: the instant for which the timeline was made, not before the one before.
    ///   - isTimeAlone: the timeline was made of the same data as the one before. The recipient's display goes on to
    ///     show it by itself, unless an offer is still open.
    package mutating func publish(
        _ digest: ContentDigest, at: Instant, isTimeAlone: Bool = false
    ) -> Publication {
        let hasNewContent = newest.map { !$0.digest.isSameContent(as: digest, at: at) } ?? true
        let nextRevision = hasNewContent ? revision.next : revision
        let isVisibleChange = display(digest, revision: nextRevision, at: at, isTimeAlone: isTimeAlone)
        revision = nextRevision
        refreshCount += 1
        newest = Published(at: at, digest: digest)
        remade = nil
        return Publication(
            revision: revision, refreshCount: refreshCount, hasNewContent: hasNewContent,
            isVisibleChange: isVisibleChange)
    }

    /// Brings `displayed` up to `at`, and says if content that is about to become the newest one is a visible change
    /// against it.
    ///
    /// - Parameter newRevision: the revision that the content gets.
    private mutating func display(
        _ digest: ContentDigest, revision newRevision: Revision, at: Instant, isTimeAlone: Bool
    ) -> Bool {
        guard var shown = displayedDigest else { return true }
        if isTimeAlone && offered == nil {
            displayed = Displayed(revision: newRevision)
            return false
        }
        if let cameBack = shown.nextUpdate, cameBack <= at {
            guard let previous = comparableDigest, cameBack < at, !previous.isDue(at: at) else {
                // The recipient comes back by itself for the timeline that is about to be published.
                displayed = Displayed(revision: newRevision)
                return false
            }
            // It came back in between, and loaded the timeline before.
            shown = previous
            displayed.revision = revision
        }
        displayed.digest = shown == digest ? nil : shown
        return shown.isVisibleChange(to: digest, at: at)
    }
}

extension ContentDigest {
    /// True if whoever displays this content asks for the next timeline at `instant` or earlier.
    fileprivate func isDue(at instant: Instant) -> Bool { nextUpdate.map { $0 <= instant } ?? false }
}

// MARK: - Reloads

extension PublicationHistory {
    /// How the newest timeline compares with a revision that was announced.
    package enum Comparison: Hashable, Sendable {
        /// Nothing newer has to be judged: the newest timeline was announced, or the recipient has loaded a newer
        /// revision than the announced one.
        case settled
        /// The newest timeline is a visible change against the announced one.
        case visibleChange
        /// The newest timeline is newer than the announced one, but is no visible change against it.
        case noVisibleChange
    }

    /// Notes that the newest revision was offered to the recipient's task.
    package mutating func offer() {
        offered = revision
    }

    /// Notes that nothing is offered any more.
    ///
    /// - Returns: true if an offer was open.
    package mutating func withdrawOffer() -> Bool {
        defer { offered = nil }
        return offered != nil
    }

    /// Notes that the recipient was told to load a revision. Timelines that were published since are judged against it.
    ///
    /// - Parameters:
    ///   - announced: the revision.
    ///   - digest: its content.
    ///   - now: the instant of the announcement.
    package mutating func announce(_ announced: Revision, _ digest: ContentDigest, at now: Instant) -> Comparison {
        if offered == announced { offered = nil }
        guard announced > displayed.revision, let newest else { return .settled }
        if announced == revision {
            displayed = Displayed(revision: revision)
            return .settled
        }
        let at = max(now, newest.at)
        if digest.isDue(at: at) {
            displayed = Displayed(revision: revision)
            return .noVisibleChange
        }
        displayed = Displayed(revision: announced, digest: digest)
        return digest.isVisibleChange(to: newest.digest, at: at) ? .visibleChange : .noVisibleChange
    }
}

// MARK: - Changes from outside

extension PublicationHistory {
    /// Begins with nothing displayed: the configuration has another recipient, or another kind.
    package mutating func forgetRecipient() {
        displayed = .nothing
        offered = nil
    }

    /// Forgets the newest timeline, whose configuration was deleted. The revision stays, so that a configuration that
    /// comes back goes on counting.
    package mutating func forgetTimeline() {
        newest = nil
        remade = nil
        refreshCount = 0
    }

    /// Counts the newest timeline as made for `now`, after the clock went back.
    package mutating func moveNewest(to now: Instant) {
        newest?.at = now
    }

    /// Compares what comes with `digest` instead of the newest timeline's own content.
    ///
    /// The content rules changed with the release. The newest timeline is made once more by the new rules, of the data
    /// and for the instant of then. So a change of the rules alone is no visible change.
    package mutating func compareNewest(as digest: ContentDigest) {
        guard let newest else { return }
        var digest = digest
        // The recipient comes back when the published timeline said.
        digest.nextUpdate = newest.digest.nextUpdate
        remade = digest
        // Without an open offer, displayed content that differs from the newest one differs only until the recipient
        // comes back.
        guard offered == nil, let shown = displayed.digest else { return }
        digest.nextUpdate = shown.nextUpdate
        displayed.digest = digest
    }
}
