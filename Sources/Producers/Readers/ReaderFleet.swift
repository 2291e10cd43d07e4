import SplitMix
package import Timelines

/// A fleet of readers, who scroll through the agendas and boards of `SimulatedWidgets`: on up to three devices, with
/// and without reception, some with wrong clocks. Now and then one signs out on a device, which is a tombstone.
///
/// The same arguments give the same bytes, and a smaller fleet is the beginning of a larger one. The simulation never
/// ends. Records come in the order of their due times, for a publisher that paces (`Pacing.realTime`).
package final class ReaderFleet: RecordSource {
    private var readers: [SimulatedReader]
    private var faults: [PositionFaults]
    private var queue = DueQueue<Event>()
    private let clock: (() -> Instant)?

    private enum Event {
        case move(reader: Int)
        case arrival(SourceRecord)
    }

    /// A move that is late by more than this happens now: nothing is caught up with.
    private static let latenessMax = ElapsedTime.seconds(10)

    /// - Parameters:
    ///   - count: how many readers, 1 or more.
    ///   - start: data time begins here.
    ///   - interval: how often a reader scrolls while reading, about; above zero.
    ///   - hasFaults: true if some records come late, twice or broken, and some phones have wrong clocks.
    ///   - clock: the time of day; a move that is late by more than ten seconds happens now. `nil` means that data time
    ///     has nothing to do with the time of day.
    package init(
        count: Int, seed: UInt64, start: Instant, every interval: ElapsedTime, hasFaults: Bool = true,
        clock: (() -> Instant)? = nil
    ) {
        precondition(count > 0 && interval > .zero)
        self.clock = clock
        readers = (0..<count).map {
            SimulatedReader(index: $0, seed: seed, start: start, every: interval, hasFaults: hasFaults)
        }
        faults = hasFaults ? (0..<count).map { PositionFaults(index: $0, seed: seed) } : []
        for (index, reader) in readers.enumerated() { queue.add(.move(reader: index), due: reader.nextMove) }
    }

    package var fractionDone: Double? { nil }

    package func next() -> SourceRecord? {
        while let (due, event) = queue.removeFirst() {
            switch event {
            case .arrival(let record): return record
            case .move(let index): move(index, due: due)
            }
        }
        preconditionFailure("every reader has a next move")
    }

    private func move(_ index: Int, due: Instant) {
        let time = clock?() ?? due
        let now = time - due > Self.latenessMax ? time : due
        for record in readers[index].act(at: now) {
            let arriving = faults.isEmpty ? [record] : faults[index].records(of: record, at: now)
            for record in arriving { queue.add(.arrival(record), due: record.due ?? now) }
        }
        queue.add(.move(reader: index), due: readers[index].nextMove)
    }
}

/// The faults between a reader's devices and the topic. The same seed gives the same faults.
struct PositionFaults {
    private var generator: SplitMix64
    /// The number of records until the next broken one.
    private var untilBroken: Int

    /// The share of late records, and by how many seconds they are late.
    private static let late = (share: 0.02, seconds: 5...40)
    private static let duplicates = (share: 0.01, seconds: 0...2)
    private static let betweenBroken = 200...600

    init(index: Int, seed: UInt64) {
        generator = SplitMix64(seed: seed, stream: UInt64(index) | 1 << 61 | 1 << 60)
        // The first ones come soon, and one after the other, so that whoever looks on for a minute sees some.
        untilBroken = 5 + index * 17 % 200
    }

    /// A record as it arrives: it may be late, come twice, or be broken. Tombstones come as they are.
    mutating func records(of record: SourceRecord, at now: Instant) -> [SourceRecord] {
        guard let value = record.value else { return [record] }
        var record = record
        if generator.happens(Self.late.share) {
            record.due = now + .seconds(Int64(generator.integer(in: Self.late.seconds)))
        }
        untilBroken -= 1
        if untilBroken <= 0 {
            untilBroken = generator.integer(in: Self.betweenBroken)
            record.value = broken(value)
        }
        guard generator.happens(Self.duplicates.share) else { return [record] }
        var duplicate = record
        duplicate.due = (record.due ?? now) + .seconds(Int64(generator.integer(in: Self.duplicates.seconds)))
        return [record, duplicate]
    }

    private mutating func broken(_ value: [UInt8]) -> [UInt8] {
        let text = String(decoding: value, as: UTF8.self)
        switch generator.integer(in: 0...2) {
        // The connection broke off.
        case 0: return Array(value.prefix(value.count * 2 / 3))
        // A new release of the app.
        case 1: return Array(text.replacing(#""observedAt":"#, with: #""observed":"#).utf8)
        // Percent in place of a fraction.
        default: return Array(text.replacing(#""fraction":0."#, with: #""fraction":42."#).utf8)
        }
    }
}
