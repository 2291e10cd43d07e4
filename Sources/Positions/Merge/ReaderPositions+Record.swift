extension ReaderPositions {
    /// How far ahead of its arrival a record may be dated: more is a wrong clock.
    public static let futureMax = ElapsedTime.seconds(5)

    /// The outcome of taking in a record.
    public enum RecordOutcome: Hashable, Sendable {
        /// The record brought something new.
        case changed
        /// Everything was known, or newer things were.
        case unchanged
        /// `enabled` is off.
        case refused
    }

    /// Takes in what a device says.
    ///
    /// A place that is dated more than 5 s after its arrival is moved back, so that a clock that is an hour fast does
    /// not win for ever (P5); the record's older places move along, so that their order stays. A place that is known
    /// already, by the instant that the device said, stays where it is, however often it is told. Fields of an entry
    /// that the record leaves out stay as this device knew them (P4). Places and marks that have expired at the arrival
    /// go.
    ///
    /// - Parameter arrival: the instant at which the record came, by a clock that is not the device's.
    @discardableResult
    public mutating func record(
        _ record: PositionRecord, arrival: Instant, settings: PositionSettings
    ) -> RecordOutcome {
        guard settings.enabled else { return .refused }
        let known = histories.first { isSameDevice($0.deviceId, record.deviceId) }?.snapshots ?? []
        let clock = DeviceClock(of: record, arrival: arrival, known: known)
        let before = self
        let snapshots = (record.history + [record.position]).map { clock.corrected($0) }
        let corrected = { (mark: EntryMark) in EntryMark(entryId: mark.entryId, at: min(mark.at, clock.latest)) }
        let told = ReaderPositions(
            histories: [DeviceHistory(deviceId: record.deviceId, snapshots: snapshots)],
            readEntries: record.readEntries.map(corrected), dismissed: record.dismissed.map(corrected),
            settings: settings)
        merge(told, settings: settings)
        expire(at: arrival, settings: settings)
        return self == before ? .unchanged : .changed
    }

    /// The marks that dismiss suggestions: none of them is offered again until a newer place comes than any that is
    /// known now, also if the clock of this device is slow.
    public func dismissals(of entryIds: [String], at instant: Instant) -> [EntryMark] {
        let newest = position.map { max($0.observedAt, instant) } ?? instant
        return entryIds.map { EntryMark(entryId: $0, at: newest) }
    }
}

extension PositionRecord {
    /// True if the record is dated so far after its arrival that its device's clock must be wrong.
    public func isFromFuture(arrival: Instant) -> Bool {
        position.observedAt > arrival + ReaderPositions.futureMax
    }
}
