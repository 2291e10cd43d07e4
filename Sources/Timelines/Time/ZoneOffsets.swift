import Foundation

/// The offsets of one time zone from UTC, with its changes between 1900 and 2100 at hand.
///
/// The table of an IANA zone is made once per process. It is immutable, so any thread may read it.
final class ZoneOffsets: Sendable {
    let name: String
    /// The zone for instants outside the table; `nil` means that the first and the last offset hold for ever.
    private let zone: TimeZone?
    /// Milliseconds since 1970, ascending. `offsets[i]` holds until `changes[i]`, the last one until the table's end.
    private let changes: [Int64]
    private let offsets: [Int64]
    /// Dates that the zone left out when it moved over the date line, as day numbers, ascending.
    let missingDays: [Int]

    private static let tableBegin: Int64 = -2_208_988_800_000
    private static let tableEnd: Int64 = 4_102_444_800_000

    private init(name: String, zone: TimeZone) {
        self.name = name
        self.zone = zone
        var changes: [Int64] = []
        var offsets = [zone.offset(at: ZoneOffsets.tableBegin)]
        var date = Date(milliseconds: ZoneOffsets.tableBegin)
        var missingDays: [Int] = []
        while let change = zone.nextDaylightSavingTimeTransition(after: date), change > date,
            change < Date(milliseconds: ZoneOffsets.tableEnd)
        {
            date = change
            let instant = change.milliseconds
            let (before, after) = (offsets[offsets.count - 1], zone.offset(at: instant))
            guard before != after else { continue }
            changes.append(instant)
            offsets.append(after)
            missingDays += ZoneOffsets.wholeDays(from: instant + before, to: instant + after)
        }
        self.changes = changes
        self.offsets = offsets
        self.missingDays = missingDays
    }

    /// The table of a zone that IANA's database does not have.
    ///
    /// - Parameter changes: the instants from which on each offset holds, ascending.
    init(name: String, first: Int64, changes: [(at: Int64, offset: Int64)]) {
        self.name = name
        zone = nil
        self.changes = changes.map(\.at)
        offsets = [first] + changes.map(\.offset)
        missingDays = zip(changes, offsets).flatMap { change, before in
            ZoneOffsets.wholeDays(from: change.at + before, to: change.at + change.offset)
        }
    }

    /// Milliseconds east of Greenwich.
    func offset(at milliseconds: Int64) -> Int64 {
        if let zone, !(ZoneOffsets.tableBegin..<ZoneOffsets.tableEnd ~= milliseconds) {
            return zone.offset(at: milliseconds)
        }
        return offsets[changes.partitionPoint { $0 <= milliseconds }]
    }

    private static func wholeDays(from begin: Int64, to end: Int64) -> [Int] {
        let first = (begin + Instant.millisecondsOfDay - 1).floored(by: Instant.millisecondsOfDay)
        let last = end.floored(by: Instant.millisecondsOfDay)
        return first < last ? (first..<last).map { Int($0) } : []
    }
}

// MARK: - Names

extension ZoneOffsets {
    /// The zone with this name of the IANA database, in its exact spelling; `nil` for abbreviations and offsets.
    static func named(_ name: String) -> ZoneOffsets? {
        if let known = cache.withLock({ $0[name] }) { return known }
        guard isDatabaseName(name), let zone = TimeZone(identifier: name) else { return nil }
        let offsets = ZoneOffsets(name: name, zone: zone)
        cache.withLock { $0[name] = offsets }
        return offsets
    }

    /// Holds only zones that exist, some 600 at most.
    private static let cache = LockedValue<[String: ZoneOffsets]>([:])

    /// Foundation also takes abbreviations and offsets (`PST`, `GMT+2`) for names. In the database, nearly all names
    /// have an area before a slash; these are the ones that have none.
    private static func isDatabaseName(_ name: String) -> Bool {
        name.utf8.contains(UInt8(ascii: "/")) ? !name.hasPrefix("SystemV/") : namesWithoutArea.contains(name)
    }

    private static let namesWithoutArea: Set<String> = [
        "CET", "CST6CDT", "Cuba", "EET", "EST", "EST5EDT", "Egypt", "Eire", "GB", "GB-Eire", "GMT", "GMT+0", "GMT-0",
        "GMT0", "Greenwich", "HST", "Hongkong", "Iceland", "Iran", "Israel", "Jamaica", "Japan", "Kwajalein", "Libya",
        "MET", "MST", "MST7MDT", "NZ", "NZ-CHAT", "Navajo", "PRC", "PST8PDT", "Poland", "Portugal", "ROC", "ROK",
        "Singapore", "Turkey", "UCT", "UTC", "Universal", "W-SU", "WET", "Zulu",
    ]
}

extension TimeZone {
    fileprivate func offset(at milliseconds: Int64) -> Int64 {
        Int64(secondsFromGMT(for: Date(milliseconds: milliseconds))) * 1000
    }
}

extension Date {
    fileprivate init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    fileprivate var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }
}
