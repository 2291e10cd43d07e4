/// The clock of a device, as the arrival of its record shows it, and what is known of the device (P5).
struct DeviceClock {
    /// The latest instant that counts.
    let latest: Instant
    /// The places of the device that are known, the newest first.
    private let known: [PositionSnapshot]
    /// How far the clock is ahead; zero if the record's position does not show that it is.
    private let excess: ElapsedTime

    /// A clock that is more than this ahead was not always so: what it dated in the past may be right.
    private static let steadyMax = ElapsedTime.hours(24)

    init(of record: PositionRecord, arrival: Instant, known: [PositionSnapshot]) {
        latest = arrival + ReaderPositions.futureMax
        self.known = known
        let told = record.position.observedAt
        guard told > latest, record.position.toldAt == nil else {
            excess = .zero
            return
        }
        // By the device's clock this is no later than what was moved back before: it comes late.
        let before = known.filter { $0.toldAt.map { $0 >= told } ?? false }.max { $0.saidAt < $1.saidAt }
        excess = max(before.map { $0.saidAt - $0.observedAt } ?? .zero, told - latest)
    }

    /// The snapshot as it counts: with the instant by a right clock, and with what this device knew of its entry.
    func corrected(_ told: PositionSnapshot) -> PositionSnapshot {
        var snapshot = told
        let same = known.first { $0.entryKey == told.entryKey }
        snapshot.entryDate = told.entryDate ?? same?.entryDate
        snapshot.title = told.title ?? same?.title
        snapshot.location = told.location ?? same?.location
        if let same, same.saidAt == told.saidAt {
            (snapshot.observedAt, snapshot.toldAt) = (same.observedAt, same.toldAt)
        } else if told.toldAt == nil, told.observedAt > latest || excess <= Self.steadyMax {
            snapshot.observedAt = min(told.observedAt - excess, latest)
        } else {
            snapshot.observedAt = min(told.observedAt, latest)
        }
        if snapshot.observedAt != told.observedAt { snapshot.toldAt = told.saidAt }
        return snapshot
    }
}

extension PositionSnapshot {
    /// The instant by the clock of the device.
    fileprivate var saidAt: Instant { toldAt ?? observedAt }
}
