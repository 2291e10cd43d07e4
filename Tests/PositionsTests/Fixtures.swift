import Positions
import SplitMix
import TestSupport
import Timelines

/// The settings with some of them changed.
func settings(_ change: (inout PositionSettings) -> Void = { _ in }) -> PositionSettings {
    var settings = PositionSettings()
    change(&settings)
    return settings
}

func snapshot(
    _ entryId: String, _ observedAt: String, date: String? = nil, title: String? = nil, location: String? = nil,
    index: Int? = nil, offset: Double? = nil, fraction: Double? = nil
) -> PositionSnapshot {
    PositionSnapshot(
        entryId: entryId, observedAt: at(observedAt), index: index, offset: offset, fraction: fraction,
        entryDate: date.map { at($0) }, title: title, location: location)
}

func record(
    _ position: PositionSnapshot, device: String? = "phone", read: [EntryMark] = [], dismissed: [EntryMark] = [],
    history: [PositionSnapshot] = []
) -> PositionRecord {
    PositionRecord(
        readerId: "ana", configurationId: "wall", deviceId: device, position: position, readEntries: read,
        dismissed: dismissed, history: history)
}

/// What is remembered after records that come as soon as they are made.
func positions(_ records: PositionRecord..., settings: PositionSettings = PositionSettings()) -> ReaderPositions {
    var positions = ReaderPositions()
    for record in records { positions.record(record, arrival: record.position.observedAt, settings: settings) }
    return positions
}

/// Draws what readers do, from few names and instants, so that ties, repetitions and bounds are met often.
struct Draws {
    var numbers: SplitMix64

    init(seed: Int) { numbers = SplitMix64(seed: UInt64(seed)) }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &numbers) }

    mutating func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &numbers) ? value : nil }

    mutating func settings() -> PositionSettings {
        var settings = PositionSettings()
        settings.maxHistorySize = number(1...3)
        settings.maxUnreadHistory = number(1...4)
        settings.expiry = .seconds(Int64(number(5...40)))
        return settings
    }

    mutating func later() -> ElapsedTime { .seconds(Int64(number(0...60))) }

    mutating func instant() -> Instant { Instant(milliseconds: Int64(number(0...30)) * 1000) }

    /// One of 4 devices, or of 80, which is more than are kept.
    mutating func device(among count: Int) -> String? {
        let number = number(0...count - 1)
        return number == 0 ? nil : "device-\(number)"
    }

    mutating func mark() -> EntryMark { EntryMark(entryId: "entry-\(number(1...6))", at: instant()) }

    mutating func marks() -> [EntryMark] { (0..<number(0...5)).map { _ in mark() } }

    mutating func snapshot() -> PositionSnapshot {
        let entry = number(1...6)
        // The composed and the decomposed letter are two names to the merge, though one text to Swift.
        let entryId = entry == 5 ? "entr\u{e9}" : entry == 6 ? "entre\u{301}" : "entry-\(entry)"
        return PositionSnapshot(
            entryId: entryId, observedAt: instant(), index: maybe(number(0...2)), offset: maybe(Double(number(0...2))),
            fraction: maybe(Double(number(0...2)) / 2), entryDate: maybe(instant()),
            title: maybe("title \(number(1...2))"), location: maybe("place \(number(1...2))"),
            restorationMethod: maybe(RestorationMethod.allCases[number(0...4)]))
    }

    mutating func record(devices: Int) -> PositionRecord {
        PositionRecord(
            readerId: "ana", configurationId: "wall", deviceId: device(among: devices), position: snapshot(),
            readEntries: marks(), dismissed: marks(), history: (0..<number(0...4)).map { _ in snapshot() })
    }

    /// What a replica remembers that has heard some records, each with its own arrival.
    mutating func positions(devices: Int, records: ClosedRange<Int>, _ settings: PositionSettings) -> ReaderPositions {
        var positions = ReaderPositions()
        for _ in 0..<number(records) {
            let record = record(devices: devices)
            positions.record(record, arrival: instant(), settings: settings)
        }
        return positions
    }
}
