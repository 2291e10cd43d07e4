internal import Foundation
internal import Positions

/// The device's disk.
extension PositionStore {
    /// Reads the journal, and begins to sync at `syncInterval`.
    func start() async throws(TidelineError) {
        take(try await journal.open())
        syncTimeSubject.set(view.state.lastSync.map { Instant(milliseconds: $0) })
        syncLater(after: .zero)
    }

    /// Saves what is not in the journal yet. When it returns, the disk has it. An app calls this when it goes to the
    /// background; otherwise the store saves by itself, after `autoSaveInterval`.
    ///
    /// - Throws: `.storage` if the disk does not take it; it stays in memory, and the store tries again.
    public func save() async throws(TidelineError) {
        saveTimer?.cancel()
        saveTimer = nil
        guard !unsaved.isEmpty else { return }
        let moves = unsaved
        // Places can be merged twice, numbers cannot be added twice.
        unsaved.restorations = RestorationCounts()
        do {
            take(try await journal.append(moves))
            unsaved.positions = unsaved.positions.subtracting(moves.positions)
        } catch {
            unsaved.restorations = unsaved.restorations + moves.restorations
            saveFailures += 1
            connection.note("\(error)")
            saveLater()
            throw error
        }
    }

    /// Drops what has expired, and writes the journal anew. An app calls this now and then, for example once a day.
    ///
    /// - Throws: `.storage` if the disk does not take it.
    public func performMaintenance() async throws(TidelineError) {
        try await save()
        take(try await journal.compact(at: clock.now))
    }

    /// Saves what is not in the journal yet, and does nothing more by itself.
    ///
    /// - Throws: `.storage` if the disk does not take it.
    public func stop() async throws(TidelineError) {
        isStopped = true
        syncTimer?.cancel()
        runningSync?.cancel()
        try await save()
    }

    /// Takes in what the journal said; of two answers the later one counts, in whatever order they come.
    func take(_ view: PositionJournalFile.View) {
        if view.number > self.view.number { self.view = view }
    }

    /// Saves after `autoSaveInterval`, if nothing is about to save already.
    func saveLater() {
        guard saveTimer == nil, !isStopped else { return }
        let (clock, wait) = (clock, settings.autoSaveInterval)
        saveTimer = Task { [weak self] in
            do { try await clock.sleep(for: wait) } catch { return }
            await self?.saveNow()
        }
    }

    private func saveNow() async {
        saveTimer = nil
        // A failure is counted, noted, and tried again later.
        guard (try? await save()) != nil else { return }
        // Where a try has failed, its time is waited for.
        if backoff.failures == 0, view.state.pendingCount > 0 { syncLater(after: .zero) }
    }
}
