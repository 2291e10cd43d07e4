internal import Foundation
public import Positions

/// The places of a reader in the timeline of one configuration, on this device and on all others.
///
/// Everything is recorded on the device first, and works without a server. What was recorded is saved after
/// `autoSaveInterval`, and from then on survives a crash; it is sent when the server answers. With `cloudSync` off
/// nothing leaves the device; with `crossSessionSync` off the places of other devices do not count here.
public actor PositionStore {
    /// The reader.
    public nonisolated let readerId: String
    /// The configuration whose timeline is read.
    public nonisolated let configurationId: String
    /// This device.
    public nonisolated let deviceId: String
    /// The switches and bounds.
    public nonisolated let settings: PositionSettings

    let clock: any ClientClock
    let connection: ServerConnection
    let journal: PositionJournalFile
    let restorer: PositionRestorer
    let random: RandomNumber
    nonisolated let statusSubject = ObservedSubject<SyncStatus>(.idle)
    nonisolated let syncTimeSubject = ObservedSubject<Instant?>(nil)

    /// The contents of the journal.
    var view = PositionJournalFile.View()
    /// The moves that the journal does not have yet.
    var unsaved = PositionMoves()
    var saveFailures = 0
    var saveTimer: Task<Void, Never>?
    var syncTimer: Task<Void, Never>?
    var runningSync: Task<SyncStatus, Never>?
    var backoff: Backoff
    var isStopped = false

    private var entries: [PositionedEntry] = []
    private var indexes: [String: Int] = [:]
    /// The entries that were offered last.
    private var offered: [String] = []
    /// The entry at which a restore put the reader, until they scroll away.
    private var restored: (entryId: String, method: RestorationMethod)?
    /// How many places and marks were refused: positions are not enabled, or the id of an entry has a wrong length.
    private var refused = 0

    init(_ place: PositionPlace, _ configuration: ClientConfiguration, connection: ServerConnection) {
        readerId = place.readerId
        configurationId = place.configurationId
        deviceId = place.deviceId
        settings = configuration.settings.positions
        clock = configuration.clock
        random = configuration.random
        restorer = PositionRestorer(settings: settings, similarity: configuration.similarity)
        backoff = Backoff(longest: max(.seconds(1), settings.syncInterval))
        journal = PositionJournalFile(
            place.journal, owner: .init(readerId: place.readerId, configurationId: place.configurationId),
            settings: settings)
        self.connection = connection
    }

    deinit {
        saveTimer?.cancel()
        syncTimer?.cancel()
    }

    // MARK: - What observers see

    /// The sequence tells how the device gets on with its server: the present status first, then each change.
    public nonisolated var syncStatus: ObservedValues<SyncStatus> { ObservedValues(subject: statusSubject) }

    /// The instant of the last success; it stays known while later tries fail. `nil` means that there was none.
    public nonisolated var lastSyncTime: ObservedValues<Instant?> { ObservedValues(subject: syncTimeSubject) }

    /// The places and marks of all devices, as they are known here.
    public var positions: ReaderPositions {
        let state = view.state
        var all = state.remote.map { ReaderPositions($0, settings: settings) } ?? ReaderPositions()
        all.merge(state.own, settings: settings)
        all.merge(unsaved.positions, settings: settings)
        all.expire(at: clock.now, settings: settings)
        return settings.crossSessionSync ? all : all.only(device: deviceId)
    }

    // MARK: - Recording

    /// Says which entries are shown, so that a place has an index, a date and words by which it can be found again.
    /// Restoring says it, too.
    public func show(_ entries: [TimelineEntry]) {
        self.entries = entries.map { PositionedEntry($0) }
        // Entries of one id count once.
        indexes = Dictionary(
            self.entries.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first })
    }

    /// Records that the reader is at an entry now, which counts as read.
    ///
    /// - Parameter scrollOffset: how far the entry is scrolled, in the unit of the app.
    public func recordPosition(entryId: String, scrollOffset: Double) {
        recordPosition(entryId: entryId, scrollOffset: scrollOffset, fraction: nil)
    }

    /// Records that the reader is at an entry now, which counts as read.
    ///
    /// - Parameters:
    ///   - scrollOffset: how far the entry is scrolled, in the unit of the app.
    ///   - fraction: how much of the entry was read, from 0 to 1; `nil` means that it is not known.
    public func recordPosition(entryId: String, scrollOffset: Double, fraction: Double?) {
        guard settings.enabled, PositionLimits.isEntryId(entryId) else {
            refused += 1
            return
        }
        let now = nextInstant()
        if restored?.entryId != entryId { restored = nil }
        let index = indexes[entryId]
        let entry = index.map { entries[$0] }
        let snapshot = PositionSnapshot(
            entryId: entryId, observedAt: now, index: index, offset: scrollOffset, fraction: fraction,
            entryDate: entry?.date, title: entry?.title.map(PositionLimits.cut),
            location: entry?.location.map(PositionLimits.cut),
            restorationMethod: restored?.method ?? .manual)
        add(
            ReaderPositions(
                histories: [.init(deviceId: deviceId, snapshots: [snapshot])],
                readEntries: [EntryMark(entryId: entryId, at: now)], dismissed: [], settings: settings))
    }

    /// Records that the reader has seen entries, without being at them.
    public func markAsRead(_ entryIds: [String]) {
        guard settings.enabled else {
            refused += entryIds.count
            return
        }
        let now = clock.now
        let marks = entryIds.filter(PositionLimits.isEntryId).map { EntryMark(entryId: $0, at: now) }
        refused += entryIds.count - marks.count
        add(ReaderPositions(histories: [], readEntries: marks, dismissed: [], settings: settings))
    }

    /// The present, but later than every place of this device: of two places the one that was recorded later is the
    /// newer one, also if the clock was set back meanwhile.
    private func nextInstant() -> Instant {
        let last = [view.state.own, unsaved.positions].compactMap { $0.position(ofDevice: deviceId)?.observedAt }.max()
        return last.map { max(clock.now, $0 + ElapsedTime(milliseconds: 1)) } ?? clock.now
    }

    private func add(_ positions: ReaderPositions) {
        unsaved.positions.merge(positions, settings: settings)
        saveLater()
    }

    // MARK: - Restoring

    /// Finds the reader's place in a timeline.
    ///
    /// - Parameters:
    ///   - entries: the entries that are shown, ascending by date.
    ///   - target: the place to find; `nil` stands for the newest of all devices, or this device's own where that is
    ///     further ahead.
    ///   - fallbackStrategy: what decides when nothing is found; `nil` stands for that of the settings.
    public func restorePosition(
        for entries: [TimelineEntry], target: PositionSnapshot? = nil, fallbackStrategy: FallbackStrategy? = nil
    ) -> Restoration {
        show(entries)
        var positions = positions
        if let target {
            positions = ReaderPositions(
                histories: [.init(deviceId: deviceId, snapshots: [target])], readEntries: [],
                dismissed: positions.dismissed, settings: settings)
        }
        let restoration = restorer.restore(
            positions, deviceId: deviceId, into: self.entries, fallback: fallbackStrategy, at: clock.now)
        unsaved.restorations.count(restoration.method)
        restored = restoration.index.map { (self.entries[$0].id, restoration.method) }
        offered = restoration.suggestions.map(\.entryId)
        saveLater()
        return restoration
    }

    /// Other places where the reader could go on, at most three, the best first. The entry at which a restore has put
    /// them is none.
    public func restorationSuggestions(for entries: [TimelineEntry]) -> [RestorationSuggestion] {
        show(entries)
        let suggestions = restorer.suggestions(positions, deviceId: deviceId, in: self.entries, at: clock.now)
            .filter { $0.entryId != restored?.entryId }
        offered = suggestions.map(\.entryId)
        return suggestions
    }

    /// Does not offer again what was offered last, on any device, until a newer place comes.
    public func dismissRestorationSuggestions() {
        guard !offered.isEmpty else { return }
        let marks = positions.dismissals(of: offered, at: clock.now)
        offered = []
        add(ReaderPositions(histories: [], readEntries: [], dismissed: marks, settings: settings))
    }

    // MARK: - Debugging

    /// The export says all that is known here, for whoever looks for a mistake. It has no token and no address.
    public func exportStateForDebugging() -> PositionStateExport {
        PositionStateExport(
            positions: PositionDebugExport(
                positions, readerId: readerId, configurationId: configurationId, syncStatus: statusSubject.value,
                lastSyncTime: syncTimeSubject.value, settings: settings,
                restorations: view.state.restorations + unsaved.restorations),
            deviceId: deviceId, pending: pendingCount, unsaved: unsaved.positions.entryCount, refused: refused,
            setAside: view.state.setAside?.entryCount ?? 0, saves: view.saves, failedSaves: saveFailures,
            skippedLines: view.skippedLines)
    }

    /// How many entries have a place or a mark that waits for the server.
    var pendingCount: Int {
        var pending = view.state.pending
        pending.merge(unsaved.positions, settings: settings)
        return pending.entryCount
    }
}
