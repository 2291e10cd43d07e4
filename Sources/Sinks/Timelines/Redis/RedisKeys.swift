import Redis

/// The keys of a `RedisSink`, as Documentation/Consuming.md has them for whoever reads them.
enum RedisKeys {
    static let lock = "tideline:sink"
    static let changes = "tideline:changes"
    /// The stream keeps about so many changes.
    static let changesKept: Int64 = 10_000

    /// The beginning of the keys of timelines.
    static let timelines = "tideline:timeline:"

    static func timeline(_ configurationId: String) -> RedisWord { .text(timelines + configurationId) }
    static func recipient(_ recipient: String) -> RedisWord { .text("tideline:recipient:" + recipient) }
    static func positions(of topic: String) -> RedisWord { .text("tideline:positions:" + topic) }
}
