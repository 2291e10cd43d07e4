import Observability
import Settings

/// The settings of memory.
extension Keys {
    static let memoryLimit = SettingKey(
        "memory.limit", .memoryLimit, default: .automatic,
        "The memory that this process is to have. The queues of librdkafka are made to fit it at the start. automatic"
            + " is that of the control group, such as a container's, and none where there is none; off is none.")
    static let memoryWarningThreshold = SettingKey(
        "memory.warningThreshold", .number(0.1...1), default: 0.8,
        "Above this part of memory.limit memory is short: less is taken and held at a time, and caches are trimmed,"
            + " until it is a tenth below that again. What librdkafka reads ahead stays as it was made at the start.")

    static let memoryKeys: [any SettingDeclaration] = [memoryLimit, memoryWarningThreshold]

    private static let consumerQueue = "kafka.queued.max.messages.kbytes"
    private static let producerQueue = "kafka.queue.buffering.max.kbytes"

    /// What is always taken must leave room for the rest.
    static let memoryRules = [
        SettingsRule(
            "the records that a consumer has read ahead take at most an eighth of the memory",
            keys: [consumerQueue, memoryLimit.name]
        ) { $0.memoryHolds(kibibytesOf: consumerQueue, parts: 8) },
        SettingsRule(
            "the records that a producer has still to send take at most half of the memory",
            keys: [producerQueue, memoryLimit.name]
        ) { $0.memoryHolds(kibibytesOf: producerQueue, parts: 2) },
        SettingsRule(
            "what waits for one slow client takes at most a sixteenth of the memory",
            keys: [serveStreamBuffer.name, memoryLimit.name]
        ) { settings in settings.memoryLimit.map { settings[serveStreamBuffer] <= $0 / 16 } ?? true },
        SettingsRule(
            "the body of one request takes at most a sixteenth of the memory",
            keys: [serveBodyLimit.name, memoryLimit.name]
        ) { settings in settings.memoryLimit.map { settings[serveBodyLimit] <= $0 / 16 } ?? true },
    ]
}

/// The memory that a process is to have, as it is set.
enum MemoryLimit: Hashable, Sendable {
    case automatic
    case off
    case bytes(Int)

    /// Less does not hold a process that has nothing to do.
    static let range = (64 << 20)...(16 << 40)
    /// Does not change while the process runs.
    static let ofControlGroup = ControlGroup().memoryLimit
}

/// What each of several parts of a process may hold of the memory that it is to have.
enum MemoryShares {
    /// So many consumers with queues of a thirty-second each, and rounds of as much, leave most to the rest.
    private static let readersMax = 8

    /// The memory by which the queues of each part's clients are measured, in bytes: that of all, or less where more
    /// than eight parts read side by side.
    static func clients(of limit: Int, parts: Int) -> Int { limit / max(parts, readersMax) * readersMax }

    /// The bytes of the records that each part may have sent and not settled: a sixteenth, or less where that would be
    /// more than a quarter for all parts together.
    static func outstanding(of limit: Int, parts: Int) -> Int { limit / max(16, 4 * parts) }
}

extension Settings {
    /// The memory that this process is to have, in bytes; `nil` stands for any.
    var memoryLimit: Int? {
        switch self[Keys.memoryLimit] {
        case .automatic: MemoryLimit.ofControlGroup
        case .off: nil
        case .bytes(let bytes): bytes
        }
    }

    fileprivate func memoryHolds(kibibytesOf property: String, parts: Int) -> Bool {
        guard let limit = memoryLimit, let size = number(ofProperty: property) else { return true }
        return size <= limit / parts / 1024
    }
}

extension SettingType<MemoryLimit> {
    fileprivate static var memoryLimit: Self {
        let size = SettingType<Int>.bytes(MemoryLimit.range)
        let words = ["automatic", "off"]
        return SettingType(
            allowed: "\(size.allowed), or automatic, or off", choices: words,
            read: { text in
                switch text {
                case "automatic": return .automatic
                case "off": return .off
                default: return ByteSize.read(text).flatMap { MemoryLimit.range.contains($0) ? .bytes($0) : nil }
                }
            },
            write: { limit in
                switch limit {
                case .automatic: "automatic"
                case .off: "off"
                case .bytes(let bytes): ByteSize.text(bytes)
                }
            })
    }
}
