internal import Positions

/// All that a device remembers of its reader in one timeline, as its journal has it.
struct PositionState: Codable, Hashable, Sendable {
    /// The places and marks that were made on this device.
    var own = ReaderPositions()
    /// Those of them that the server has not accepted yet.
    var pending = ReaderPositions()
    /// Those of them that the server refused for their content, each alone; `nil` if there are none.
    var setAside: ReaderPositions?
    /// The merged position that the server gave last.
    var remote: MergedPosition?
    /// The entity tag of that.
    var etag: String?
    /// Milliseconds since 1970 of the last success.
    var lastSync: Int64?
    /// How many restores each method has made.
    var restorations = RestorationCounts()

    /// How many entries have a place or a mark that waits for the server.
    var pendingCount: Int { pending.entryCount }

    /// Takes in what was done on this device.
    mutating func add(_ moves: PositionMoves, settings: PositionSettings) {
        own.merge(moves.positions, settings: settings)
        pending.merge(moves.positions, settings: settings)
        restorations = restorations + moves.restorations
    }

    /// The server has accepted what was sent.
    ///
    /// - Parameters:
    ///   - sent: what was pending when the request was made.
    ///   - arrival: the instant of the answer by the server's clock; what is dated far after it is moved back here as
    ///     it was there, so that a clock that is fast does not win on its own device either.
    mutating func accept(_ sent: ReaderPositions, deviceId: String, arrival: Instant?, settings: PositionSettings) {
        pending = pending.subtracting(sent)
        guard let arrival else { return }
        own = own.subtracting(sent)
        var corrected = ReaderPositions()
        if let record = PositionRecord(sent, own: sent, deviceId: deviceId) {
            corrected.record(record, arrival: arrival, settings: settings.remembering)
        } else {
            corrected = sent
        }
        own.merge(corrected, settings: settings)
    }

    /// The places and marks of this device that a server may be told.
    var tellable: ReaderPositions { setAside.map { own.subtracting($0) } ?? own }

    /// The server refuses this for its content: it does not wait any more.
    mutating func setAside(_ refused: ReaderPositions, settings: PositionSettings) {
        pending = pending.subtracting(refused)
        var all = setAside ?? ReaderPositions()
        all.merge(refused, settings: settings.remembering)
        setAside = all
    }

    /// Drops what is too old.
    mutating func expire(at instant: Instant, settings: PositionSettings) {
        own.expire(at: instant, settings: settings)
        pending.expire(at: instant, settings: settings)
        setAside?.expire(at: instant, settings: settings)
    }
}

/// The moves on this device since the journal was saved.
struct PositionMoves: Codable, Hashable, Sendable {
    var positions = ReaderPositions()
    var restorations = RestorationCounts()

    var isEmpty: Bool { positions.isEmpty && restorations.total == 0 }
}

extension PositionSettings {
    /// The settings under which nothing is refused.
    var remembering: PositionSettings {
        var settings = self
        settings.enabled = true
        return settings
    }
}

extension ReaderPositions {
    /// How many entries have a place or a mark.
    var entryCount: Int {
        Set(histories.flatMap(\.snapshots).map(\.entryId) + (readEntries + dismissed).map(\.entryId)).count
    }

    /// The value without the places and marks that another value has, just so.
    func subtracting(_ other: ReaderPositions) -> ReaderPositions {
        let gone = Set(other.histories.flatMap { history in history.snapshots.map { Place(history.deviceId, $0) } })
        let histories = histories.compactMap { history -> DeviceHistory? in
            let snapshots = history.snapshots.filter { !gone.contains(Place(history.deviceId, $0)) }
            return snapshots.isEmpty ? nil : DeviceHistory(deviceId: history.deviceId, snapshots: snapshots)
        }
        let (read, dismissed) = (Set(other.readEntries), Set(other.dismissed))
        return ReaderPositions(
            histories: histories, readEntries: readEntries.filter { !read.contains($0) },
            dismissed: self.dismissed.filter { !dismissed.contains($0) }, settings: .unbounded)
    }

    /// Two smaller values that are this one together; `nil` if there is one place or mark alone.
    ///
    /// Places come before marks: a record of marks names a place, too, and by then it is known which one is taken.
    var halves: (ReaderPositions, ReaderPositions)? {
        let places = histories.flatMap { history in history.snapshots.map { (history.deviceId, $0) } }
        let marks = readEntries.map { (true, $0) } + dismissed.map { (false, $0) }
        let cut = places.isEmpty || marks.isEmpty ? (places.count + marks.count) / 2 : places.count
        guard places.count + marks.count > 1 else { return nil }
        let first = Self.made(places.prefix(cut), marks.prefix(max(0, cut - places.count)))
        return (first, Self.made(places.dropFirst(cut), marks.dropFirst(max(0, cut - places.count))))
    }

    private static func made(
        _ places: ArraySlice<(String?, PositionSnapshot)>, _ marks: ArraySlice<(Bool, EntryMark)>
    ) -> ReaderPositions {
        var positions = ReaderPositions(
            histories: [], readEntries: marks.filter(\.0).map(\.1), dismissed: marks.filter { !$0.0 }.map(\.1),
            settings: .unbounded)
        for (deviceId, snapshot) in places {
            let history = DeviceHistory(deviceId: deviceId, snapshots: [snapshot])
            positions.merge(
                ReaderPositions(histories: [history], readEntries: [], dismissed: [], settings: .unbounded),
                settings: .unbounded)
        }
        return positions
    }

    private struct Place: Hashable {
        var deviceId: String?
        var snapshot: PositionSnapshot

        init(_ deviceId: String?, _ snapshot: PositionSnapshot) {
            self.deviceId = deviceId
            self.snapshot = snapshot
        }
    }
}

extension PositionSettings {
    /// The settings that cut nothing.
    fileprivate static let unbounded: PositionSettings = {
        var settings = PositionSettings()
        settings.maxHistorySize = .max / ReaderPositions.devicesMax
        settings.maxUnreadHistory = .max
        return settings
    }()
}

extension PositionRecord {
    /// The record that tells the server what waits for it; `nil` if this device has no place yet.
    ///
    /// - Parameter own: all of this device; its newest place is the record's position also if only marks wait.
    init?(_ pending: ReaderPositions, own: ReaderPositions, deviceId: String) {
        let snapshots = pending.histories.flatMap(\.snapshots)
        guard let newest = own.position(ofDevice: deviceId) ?? snapshots.first else { return nil }
        self.init(
            readerId: "", configurationId: "", deviceId: deviceId, position: newest,
            readEntries: pending.readEntries, dismissed: pending.dismissed,
            history: snapshots.filter { $0 != newest })
    }
}
