import RecordLog
import StreamCore

/// The key of a subscription in its store: the length of the source's id, a colon, the id of the source, the id of the
/// configuration. Ids may hold any character.
enum SubscriptionKey {
    static func text(_ sourceId: String, _ configurationId: String) -> String {
        "\(sourceId.utf8.count):\(sourceId)\(configurationId)"
    }

    /// The bytes of the source's id, within the key.
    static func sourceId(in key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: ids(in: key).source)
    }

    static func configurationId(in key: UnsafeRawBufferPointer) -> String {
        String(decoding: ids(in: key).configuration, as: UTF8.self)
    }

    /// The hash by which the configuration has its task.
    static func hashOfConfigurationId(in key: UnsafeRawBufferPointer) -> UInt32 {
        Murmur2.hash(UnsafeRawBufferPointer(rebasing: ids(in: key).configuration))
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
