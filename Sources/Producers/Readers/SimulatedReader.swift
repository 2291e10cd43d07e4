import Messages
import Positions
import SplitMix
import Timelines

/// One reader of a simulated fleet, who scrolls for a while on one device, goes away, and comes back on the same or on
/// another.
struct SimulatedReader {
    let readerId: String
    /// When the reader does something next.
    private(set) var nextMove: Instant
    private let configurations: [(id: String, entries: ReadEntries)]
    private var devices: [ReaderDevice]
    private var generator: SplitMix64
    private let interval: ElapsedTime
    /// True if the reader's app says of an entry what it knows, instead of leaving that to the pipeline.
    private let isTalkative: Bool
    /// The device that is in use, and the moves that are left before the reader goes away.
    private var device = 0
    private var movesLeft = 0

    /// A clock that is an hour fast, one an hour slow, and one that was never set.
    private static let clockErrors = [
        ElapsedTime.hours(1), ElapsedTime(milliseconds: -3_600_000), ElapsedTime.hours(70 * 365 * 24),
    ]
    /// One reader of this many has a phone with a wrong clock.
    private static let clocks = (every: 20, first: 7)
    private static let offlineShare = 0.2
    private static let dismissedShare = 0.3
    private static let forgottenShare = 0.03
    /// How far ahead of what is in force the timelines go.
    private static let aheadMax: Int64 = 9

    init(index: Int, seed: UInt64, start: Instant, every interval: ElapsedTime, hasFaults: Bool) {
        readerId = "reader-" + FleetVehicle.number(index)
        generator = SplitMix64(seed: seed, stream: UInt64(index) | 1 << 61)
        self.interval = interval
        isTalkative = index % 4 == 3
        // As `SimulatedWidgets` names them: an agenda on each phone, and a board for each depot.
        let phone = index / 3
        let calendar = phone % FleetCalendars.all.count
        let entries = ReadEntries(calendar: calendar)
        configurations = [
            ("agenda-phone-" + FleetVehicle.number(phone), entries), ("board-" + entries.calendarId, entries),
        ]
        let isWrong = hasFaults && index % Self.clocks.every == Self.clocks.first
        let error = isWrong ? Self.clockErrors[index / Self.clocks.every % Self.clockErrors.count] : .zero
        devices = ["phone", "tablet", nil].prefix(index % 3 + 1).map {
            ReaderDevice(deviceId: $0, clockError: $0 == "phone" ? error : .zero, start: start)
        }
        nextMove = start
        nextMove = start + wait(0..<1)
    }

    /// Does what is due, and sends what comes of it.
    mutating func act(at now: Instant) -> [SourceRecord] {
        var records = devices.indices.compactMap { devices[$0].onlineAt <= now ? send($0, at: now) : nil }
        if movesLeft == 0 {
            begin(at: now)
        } else {
            scroll(at: now)
        }
        if devices[device].onlineAt <= now, let record = send(device, at: now) { records.append(record) }
        movesLeft -= 1
        if movesLeft == 0 {
            if generator.happens(Self.forgottenShare) { records.append(forget(at: now)) }
            nextMove = now + wait(2..<12)
        } else {
            nextMove = now + wait(0.5..<1.5)
        }
        return records
    }

    // MARK: - Reading

    /// Takes a device, and goes on there: where the newest device was, unless this one is further ahead.
    private mutating func begin(at now: Instant) {
        let before = device
        device = generator.integer(in: 0...devices.count - 1)
        movesLeft = generator.integer(in: 3...10)
        if !devices[device].hasUnsent {
            devices[device].configuration = generator.happens(0.7) ? 0 : 1
            if generator.happens(Self.offlineShare) {
                let moves = Double(movesLeft + generator.integer(in: 2...12))
                devices[device].onlineAt = now + ElapsedTime(milliseconds: Int64(moves * milliseconds))
            }
        }
        let entries = configurations[devices[device].configuration].entries
        let inForce = entries.inForce(at: now)
        let own = devices[device].entry
        let other = before == device ? nil : devices[before].entry
        guard let target = [own, other].compactMap(\.self).max() else {
            return note(inForce, .manual, at: now)
        }
        var dismissed: [EntryMark] = []
        if let own, let other, other < own, generator.happens(Self.dismissedShare) {
            dismissed = [EntryMark(entryId: entries.id(of: other), at: time(now))]
        }
        let isThere = inForce...inForce + Self.aheadMax ~= target
        note(isThere ? target : inForce, isThere ? .exactMatch : .temporalProximity, dismissed: dismissed, at: now)
    }

    private mutating func scroll(at now: Instant) {
        let entries = configurations[devices[device].configuration].entries
        let inForce = entries.inForce(at: now)
        let here = devices[device].entry ?? inForce
        let next = min(inForce + Self.aheadMax, max(inForce, here + Int64(generator.integer(in: -1...3))))
        let passed = here < next ? (here..<next).map { EntryMark(entryId: entries.id(of: $0), at: time(now)) } : []
        note(next, .manual, read: passed, at: now)
    }

    private mutating func note(
        _ entry: Int64, _ method: RestorationMethod, read: [EntryMark] = [], dismissed: [EntryMark] = [],
        at now: Instant
    ) {
        let entries = configurations[devices[device].configuration].entries
        devices[device].entry = entry
        let snapshot = PositionSnapshot(
            entryId: entries.id(of: entry), observedAt: time(now), index: Int(entry - entries.inForce(at: now)),
            offset: generator.number(in: 0..<400).rounded(digits: 1),
            fraction: generator.number(in: 0..<1).rounded(digits: 2),
            entryDate: isTalkative ? entries.date(of: entry) : nil,
            title: isTalkative ? entries.title(of: entry) : nil,
            location: isTalkative ? entries.location(of: entry) : nil, restorationMethod: method)
        devices[device].note(snapshot, read: read, dismissed: dismissed)
    }

    // MARK: - Sending

    private mutating func send(_ device: Int, at now: Instant) -> SourceRecord? {
        let configurationId = configurations[devices[device].configuration].id
        return devices[device].send(readerId: readerId, configurationId: configurationId).map {
            SourceRecord($0, due: now)
        }
    }

    /// The reader signs out on the device: its place is removed.
    private mutating func forget(at now: Instant) -> SourceRecord {
        devices[device].forget()
        let key = PositionKey(
            ReaderKey(readerId: readerId, configurationId: configurations[devices[device].configuration].id),
            deviceId: devices[device].deviceId)
        return SourceRecord(key: Array(key.text.utf8), value: nil, due: now)
    }

    // MARK: - Time

    /// The instant by the clock of the device that is in use.
    private func time(_ now: Instant) -> Instant { now + devices[device].clockError }

    private var milliseconds: Double { Double(interval.milliseconds) }

    private mutating func wait(_ intervals: Range<Double>) -> ElapsedTime {
        ElapsedTime(milliseconds: max(1, Int64(generator.number(in: intervals) * milliseconds)))
    }
}

extension SourceRecord {
    /// The record of what a device says.
    init(_ record: PositionRecord, due: Instant) {
        var json = JSONWriter(reservingCapacity: 512)
        record.write(to: &json)
        self.init(key: Array(PositionKey(of: record).text.utf8), value: json.bytes, due: due)
    }
}
