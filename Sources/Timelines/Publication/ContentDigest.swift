/// A digest of what a timeline shows: enough to tell if a newer one shows something else (T6). It is the same in every
/// process, so it can be kept in state.
package struct ContentDigest: Hashable, Sendable {
    /// The digest of kind and family.
    package var subject: Digest
    package var entries: [Entry]
    package var nextUpdate: Instant?

    package struct Digest: Hashable, Sendable {
        package var high: UInt64
        package var low: UInt64

        package init(high: UInt64, low: UInt64) {
            self.high = high
            self.low = low
        }
    }

    package struct Entry: Hashable, Sendable {
        package var date: Instant
        /// The digest of everything that the entry shows but id, date and observedAt.
        package var content: Digest
        package var isStale: Bool

        package init(date: Instant, content: Digest, isStale: Bool) {
            self.date = date
            self.content = content
            self.isStale = isStale
        }
    }

    /// A digest of stored fields.
    package init(subject: Digest, entries: [Entry], nextUpdate: Instant?) {
        self.subject = subject
        self.entries = entries
        self.nextUpdate = nextUpdate
    }

    package init(of timeline: Timeline, kind: String, family: WidgetFamily) {
        subject = Digest { digest in
            digest.add(kind)
            digest.add(family.rawValue)
        }
        entries = timeline.entries.map { entry in
            Entry(date: entry.date, content: Digest { $0.addContent(of: entry) }, isStale: entry.phase == .stale)
        }
        nextUpdate = timeline.nextUpdate
    }
}

// MARK: - Comparing

extension ContentDigest {
    /// True if `newer`, made at `at`, shows the same: then it keeps the revision.
    package func isSameContent(as newer: ContentDigest, at: Instant) -> Bool {
        subject == newer.subject && ContentDigest.isSame(inForce(at: at), newer.inForce(at: at), at: at)
    }

    /// True if `newer`, made at `at`, shows something else before this one asks for the next timeline, or at any time
    /// if it never asks: then a reload may announce it. Another kind or family is a visible change at any time.
    package func isVisibleChange(to newer: ContentDigest, at: Instant) -> Bool {
        guard subject == newer.subject else { return true }
        let (old, new) = (inForce(at: at), newer.inForce(at: at))
        guard !ContentDigest.isSame(old, new, at: at) else { return false }
        guard let nextUpdate else { return true }
        // At its own due date whoever shows it comes back by itself: nothing of it is left to differ from.
        guard at < nextUpdate else { return false }
        return !ContentDigest.isSame(old.prefix { $0.date < nextUpdate }, new.prefix { $0.date < nextUpdate }, at: at)
    }

    /// The entries from the one in force at `at` on, as T2 says it for a later instant.
    private func inForce(at: Instant) -> ArraySlice<Entry> {
        entries[(entries.lastIndex { $0.date <= at } ?? 0)...]
    }

    private static func isSame(_ old: ArraySlice<Entry>, _ new: ArraySlice<Entry>, at: Instant) -> Bool {
        old.elementsEqual(new) { old, new in
            guard old.content == new.content else { return false }
            let areInForce = old.date <= at && new.date <= at
            return areInForce || old.isStale || old.date == new.date
        }
    }
}
