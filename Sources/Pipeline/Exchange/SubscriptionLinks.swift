import StreamCore

/// Which subscriptions a source has, by slots: an index that is derived from the keys of the subscription store.
struct SubscriptionLinks {
    /// By slot of the source.
    private var bySource: [[Int]] = []
    /// By slot of the subscription; −1: not linked yet.
    private var sources: [Int] = []

    /// The key of a subscription: the length of the source's id, a colon, the two ids. Ids may hold any character.
    static func key(_ sourceId: String, _ configurationId: String) -> String {
        "\(sourceId.utf8.count):\(sourceId)\(configurationId)"
    }

    static func source(in key: String) -> String { String(decoding: ids(in: key).source, as: UTF8.self) }

    private static func ids(in key: String) -> (source: Substring.UTF8View, configuration: Substring.UTF8View) {
        let digits = key.utf8.prefix { $0 != UInt8(ascii: ":") }
        guard let count = Int(Substring(digits)) else {
            preconditionFailure("A subscription's key begins with a length.")
        }
        let ids = key.utf8.dropFirst(digits.count + 1)
        return (ids.prefix(count), ids.dropFirst(count))
    }

    /// Does nothing where it is known already.
    mutating func link(_ subscription: Int, to source: Int) {
        while sources.count <= subscription { sources.append(-1) }
        while bySource.count <= source { bySource.append([]) }
        if sources[subscription] >= 0 { return }
        sources[subscription] = source
        bySource[source].append(subscription)
    }

    func source(of subscription: Int) -> Int {
        precondition(sources[subscription] >= 0, "A subscription is linked when it is made.")
        return sources[subscription]
    }

    func subscriptions(of source: Int) -> [Int] { source < bySource.count ? bySource[source] : [] }

    func configurationId<Value>(of subscription: Int, in store: StateStore<Value>) -> String {
        String(decoding: Self.ids(in: store.key(of: subscription)).configuration, as: UTF8.self)
    }
}

/// Slots that something is to be done for, each once, in the order in which they came.
struct PendingSlots<Item> {
    private var slots: [Int] = []
    private var items: [Item?] = []

    var isEmpty: Bool { slots.isEmpty }

    func contains(_ slot: Int) -> Bool { slot < items.count && items[slot] != nil }

    func item(of slot: Int) -> Item? { slot < items.count ? items[slot] : nil }

    /// Does nothing where the slot is pending already.
    mutating func insert(_ slot: Int, _ item: () -> Item) {
        guard reserve(slot) else { return }
        items[slot] = item()
    }

    mutating func insert(_ slot: Int, replacing item: Item) {
        _ = reserve(slot)
        items[slot] = item
    }

    mutating func take() -> [(Int, Item)] {
        if slots.isEmpty { return [] }
        let taken = slots.map { slot in
            defer { items[slot] = nil }
            guard let item = items[slot] else { preconditionFailure("A pending slot has its item.") }
            return (slot, item)
        }
        slots.removeAll(keepingCapacity: true)
        return taken
    }

    private mutating func reserve(_ slot: Int) -> Bool {
        while items.count <= slot { items.append(nil) }
        if items[slot] != nil { return false }
        slots.append(slot)
        return true
    }
}
