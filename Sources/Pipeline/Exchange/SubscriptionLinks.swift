import RecordLog
import StreamCore

/// The key of a subscription in its store: the length of the source's id, a colon, the id of the source, the id of the
/// configuration. Ids may hold any character.
enum SubscriptionKey {
    static func text(_ sourceId: String, _ configurationId: String) -> String {
        "\(sourceId.utf8.count):\(sourceId)\(configurationId)"
    }

    static func sourceId(in key: UnsafeRawBufferPointer) -> String {
        String(decoding: ids(in: key).source, as: UTF8.self)
    }

    static func configurationId(in key: UnsafeRawBufferPointer) -> String {
        String(decoding: ids(in: key).configuration, as: UTF8.self)
    }

    private static func ids(
        in key: UnsafeRawBufferPointer
    ) -> (source: Slice<UnsafeRawBufferPointer>, configuration: Slice<UnsafeRawBufferPointer>) {
        var count = 0
        var index = 0
        while index < key.count, key[index] != UInt8(ascii: ":") {
            precondition((UInt8(ascii: "0")...UInt8(ascii: "9")).contains(key[index]), "A key begins with a length.")
            count = count * 10 + Int(key[index] - UInt8(ascii: "0"))
            index += 1
        }
        let begin = index + 1
        precondition(index > 0 && begin + count <= key.count, "A subscription's key holds two ids.")
        return (key[begin..<(begin + count)], key[(begin + count)...])
    }
}

/// Which subscriptions a source has: an index that is derived from the keys of the subscription store.
final class SubscriptionLinks<Source, Subscription> {
    private var subscriptions = SlotMap<Source, [Slot<Subscription>]>(absent: [])
    private var sources = SlotMap<Subscription, Slot<Source>?>()

    /// Links the two; does nothing if the subscription is linked already.
    func link(_ subscription: Slot<Subscription>, to source: Slot<Source>) {
        if sources[subscription] != nil { return }
        sources[subscription] = source
        subscriptions[source].append(subscription)
    }

    /// - Precondition: the subscription was linked.
    func source(of subscription: Slot<Subscription>) -> Slot<Source> {
        guard let source = sources[subscription] else {
            preconditionFailure("A subscription is linked when it is made.")
        }
        return source
    }

    /// In the order in which the subscriptions were linked.
    func subscriptions(of source: Slot<Source>) -> [Slot<Subscription>] { subscriptions[source] }
}
