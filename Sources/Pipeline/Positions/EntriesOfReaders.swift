import Positions
import StreamCore
import Timelines

/// The entries of the timelines that readers look at, by which their places are described (P4).
final class EntriesOfReaders {
    private let store = StateStore(.entriesInForce)
    private let table: ConfigurationTable
    private let maker: TimelineMaker
    private let settings: PositionSettings

    /// A longer text is cut: a place needs no more of it to be found again.
    private static let textBytesMax = 1024

    init(of table: ConfigurationTable, _ maker: TimelineMaker, _ settings: PositionSettings) {
        self.table = table
        self.maker = maker
        self.settings = settings
    }

    var stores: [any ChangelogStore] { [store] }

    // MARK: - Keeping

    /// Takes in a timeline that is published.
    ///
    /// - Returns: true if its entries are others than those before.
    func keep(_ timeline: Timeline, of configuration: Slot<ConfigurationState>) -> Bool {
        let new = EntriesInForce(timeline.entries.map(Self.description))
        let slot = slot(of: configuration)
        if store[slot] == new { return false }
        store[slot] = new
        return true
    }

    /// Makes the published timeline of a configuration once more, if nobody read it so far. If the vehicle's task
    /// brings all that it needs, that is not known: then its next timeline describes the places.
    func prepare(_ configuration: Slot<ConfigurationState>) {
        guard store[slot(of: configuration)] == nil, let state = table.live(configuration),
            let published = state.published, !published.isTooLarge, let newest = state.history.newest,
            state.areAllAnswered, !state.hasLeftOut, !table.isRefreshedByVehicle(configuration)
        else { return }
        _ = keep(maker.timeline(of: table.message(of: configuration), state, at: newest.at), of: configuration)
    }

    func forget(_ configuration: Slot<ConfigurationState>) {
        let slot = slot(of: configuration)
        if store.hasValue(slot) { store[slot] = nil }
    }

    private func slot(of configuration: Slot<ConfigurationState>) -> Slot<EntriesInForce> {
        store.slot(of: table.configurationId(of: configuration))
    }

    private static func description(of entry: TimelineEntry) -> PositionedEntry {
        var described = PositionedEntry(entry)
        described.title = described.title?.prefix(bytes: textBytesMax)
        described.location = described.location?.prefix(bytes: textBytesMax)
        described.series = nil
        return described
    }

    // MARK: - Describing

    /// The record with what its places leave out and the timeline in force says of their entries.
    func described(_ record: PositionRecord, of configuration: Slot<ConfigurationState>) -> PositionRecord {
        let entries = entries(of: configuration)
        func described(_ snapshot: PositionSnapshot) -> PositionSnapshot {
            snapshot.described(by: entries.first { $0.id.isSameByUTF8(as: snapshot.entryId) })
        }
        var record = record
        record.position = described(record.position)
        record.history = record.history.map(described)
        return record
    }

    /// The entries in force by id, to describe the places of all readers.
    func entriesById(of configuration: Slot<ConfigurationState>) -> [String: PositionedEntry] {
        Dictionary(entries(of: configuration).map { ($0.id, $0) }) { first, _ in first }
    }

    /// What entries tell of known places that was not known; `nil` if there is nothing.
    func told(_ positions: ReaderPositions?, by entries: [String: PositionedEntry]) -> ReaderPositions? {
        guard let positions else { return nil }
        let histories = positions.histories.compactMap { history -> ReaderPositions.DeviceHistory? in
            let told = history.snapshots.compactMap { snapshot -> PositionSnapshot? in
                let described = snapshot.described(by: entries[snapshot.entryId])
                return described == snapshot ? nil : described
            }
            return told.isEmpty ? nil : .init(deviceId: history.deviceId, snapshots: told)
        }
        if histories.isEmpty { return nil }
        return ReaderPositions(histories: histories, readEntries: [], dismissed: [], settings: settings)
    }

    private func entries(of configuration: Slot<ConfigurationState>) -> [PositionedEntry] {
        store.find(table.configurationId(of: configuration)).flatMap { store[$0]?.entries } ?? []
    }
}

extension PositionSnapshot {
    /// The place with what it leaves out and its entry says. If the entry is in no timeline that is known, the date in
    /// its id counts (T7).
    fileprivate func described(by entry: PositionedEntry?) -> PositionSnapshot {
        var snapshot = self
        snapshot.entryDate = entryDate ?? entry?.date ?? PositionedEntry.date(inId: entryId)
        snapshot.title = title ?? entry?.title
        snapshot.location = location ?? entry?.location
        return snapshot
    }
}

extension PositionedEntry {
    /// The date that the id of an entry names which belongs to no event: `<phase>/<date>` (T7).
    fileprivate static func date(inId id: String) -> Instant? {
        let parts = id.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, TimelineEntry.Phase(rawValue: String(parts[0])) != nil else { return nil }
        return Instant(rfc3339: String(parts[1]))
    }
}
