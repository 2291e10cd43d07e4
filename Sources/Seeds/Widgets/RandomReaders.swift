import Messages
import Positions
import RecordLog
import SplitMix
import Timelines

/// Draws what devices say of where their readers are: all of one reader for one partition. Each place is told with all
/// that a timeline could add, and dated so that no clock of the run decides about it.
struct RandomReaders {
    private var random: SplitMix64
    private let partitions: Int32
    private let topic: String

    init(seed: UInt64, partitions: Int32, topic: String) {
        random = SplitMix64(seed: seed, stream: 7)
        self.partitions = partitions
        self.topic = topic
    }

    mutating func next(now: Instant) -> RandomWorld.Input {
        let reader = ReaderKey(
            readerId: "reader \(Int.random(in: 0..<2, using: &random))",
            configurationId: "c\(Int.random(in: 0..<6, using: &random))")
        let device = ["phone", "tablet", nil].randomElement(using: &random) ?? nil
        let key = PositionKey(reader, deviceId: device).text
        let partition = Murmur2.partition(of: reader.text, partitions: partitions)
        if Int.random(in: 0..<8, using: &random) == 0 {
            return .init(topic: topic, key: key, value: nil, partition: partition)
        }
        let history = (0..<Int.random(in: 0..<2, using: &random)).map { _ in place(now) }
        let read = (0..<Int.random(in: 0..<3, using: &random)).map { _ in mark(now) }
        let record = PositionRecord(
            readerId: reader.readerId, configurationId: reader.configurationId, deviceId: device,
            position: place(now), readEntries: read, history: history)
        var json = JSONWriter()
        record.write(to: &json)
        return .init(
            topic: topic, key: key, value: String(decoding: json.bytes, as: UTF8.self), partition: partition)
    }

    /// Long ago, so that it comes from the future by no wrong clock, and has expired by none.
    private mutating func instant(_ now: Instant) -> Instant {
        now - .hours(12 * 24) - .minutes(Int64.random(in: 0..<3_000, using: &random))
    }

    private mutating func place(_ now: Instant) -> PositionSnapshot {
        let entry = Int64.random(in: 0..<5, using: &random)
        return PositionSnapshot(
            entryId: "entry \(entry)", observedAt: instant(now), index: Int(entry),
            entryDate: Instant(milliseconds: entry * 3_600_000), title: "title \(entry)", location: "here")
    }

    private mutating func mark(_ now: Instant) -> EntryMark {
        EntryMark(entryId: "entry \(Int.random(in: 0..<5, using: &random))", at: instant(now))
    }
}
