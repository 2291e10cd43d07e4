import StreamCore

/// Which subscriptions a source has: an index that is derived from the keys of the subscription store.
///
/// A subscription is linked from its first request until its slot is given back. As long as it is linked, the slot of
/// its source is held. The links of a source are a list through the subscriptions themselves, so that linking and
/// unlinking cost the same however many there are.
final class SubscriptionLinks<Source: StateValue, Subscription> {
    private let sources: StateStore<Source>
    private var links = SlotMap<Subscription, Link>(absent: Link())
    private var lists = SlotMap<Source, List>(absent: List())

    /// The neighbours of a subscription in the list of its source, by the indexes of their slots; −1 stands for none.
    private struct Link {
        var source: Int32 = -1
        var previous: Int32 = -1
        var next: Int32 = -1
    }

    private struct List {
        var first: Int32 = -1
        var last: Int32 = -1
        var count: Int32 = 0
    }

    init(to sources: StateStore<Source>) {
        self.sources = sources
    }

    /// Links the two; does nothing if the subscription is linked already.
    func link(_ subscription: Slot<Subscription>, to source: Slot<Source>) {
        if links[subscription].source >= 0 { return }
        sources.hold(source)
        let index = Int32(subscription.index)
        let last = lists[source].last
        links[subscription] = Link(source: Int32(source.index), previous: last, next: -1)
        if last >= 0 { links[Slot(Int(last))].next = index } else { lists[source].first = index }
        lists[source].last = index
        lists[source].count += 1
    }

    /// Ends a link; does nothing if there is none.
    ///
    /// - Returns: the source, if it has no other subscription.
    @discardableResult
    func unlink(_ subscription: Slot<Subscription>) -> Slot<Source>? {
        let link = links[subscription]
        guard link.source >= 0 else { return nil }
        let source = Slot<Source>(Int(link.source))
        links[subscription] = Link()
        if link.previous >= 0 {
            links[Slot(Int(link.previous))].next = link.next
        } else {
            lists[source].first = link.next
        }
        if link.next >= 0 {
            links[Slot(Int(link.next))].previous = link.previous
        } else {
            lists[source].last = link.previous
        }
        lists[source].count -= 1
        sources.letGo(source)
        return lists[source].count == 0 ? source : nil
    }

    /// - Precondition: the subscription was linked.
    func source(of subscription: Slot<Subscription>) -> Slot<Source> {
        let source = links[subscription].source
        precondition(source >= 0, "A subscription is linked when it is made.")
        return Slot(Int(source))
    }

    /// How many subscriptions the source has.
    func count(of source: Slot<Source>) -> Int { Int(lists[source].count) }

    /// In the order in which the subscriptions were linked.
    func subscriptions(of source: Slot<Source>) -> Subscriptions {
        Subscriptions(links: self, upcoming: first(of: source))
    }

    /// The first of a source's subscriptions; `nil` if it has none.
    func first(of source: Slot<Source>) -> Slot<Subscription>? { Self.slot(lists[source].first) }

    /// The subscription of the same source that was linked next; `nil` after the last.
    func next(after subscription: Slot<Subscription>) -> Slot<Subscription>? { Self.slot(links[subscription].next) }

    /// Asks for the memory of a source that is about to be looked at.
    func prefetch(_ source: Slot<Source>) { lists.prefetch(source) }

    private static func slot(_ index: Int32) -> Slot<Subscription>? { index >= 0 ? Slot(Int(index)) : nil }

    /// The subscriptions of one source. None is linked or unlinked while they are walked.
    struct Subscriptions: Sequence, IteratorProtocol {
        fileprivate let links: SubscriptionLinks
        fileprivate var upcoming: Slot<Subscription>?

        mutating func next() -> Slot<Subscription>? {
            guard let current = upcoming else { return nil }
            upcoming = links.next(after: current)
            return current
        }
    }

    // MARK: - Slots that were given back

    /// Gives back the memory of subscriptions, which are unlinked.
    func forget(_ released: ReleasedSlots<Subscription>) { links.forget(released) }

    /// Gives back the memory of sources, which have no subscriptions.
    func forget(_ released: ReleasedSlots<Source>) { lists.forget(released) }
}
