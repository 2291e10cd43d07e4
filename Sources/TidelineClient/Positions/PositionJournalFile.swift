internal import Foundation
internal import Positions

/// A journal, on a thread of its own: to wait for the disk blocks.
final class PositionJournalFile: Sendable {
    /// The contents of the journal after a call.
    struct View: Sendable {
        var state = PositionState()
        /// Counts the calls, so that of two views the later one can be told.
        var number = 0
        var saves = 0
        var skippedLines = 0
    }

    private struct Contents: Sendable {
        var journal: PositionJournal?
        var calls = 0
    }

    private let file: URL
    private let owner: PositionJournal.Owner
    private let settings: PositionSettings
    private let queue = FileQueue("positions")
    private let contents = LockedValue(Contents())

    init(_ file: URL, owner: PositionJournal.Owner, settings: PositionSettings) {
        self.file = file
        self.owner = owner
        self.settings = settings
    }

    /// Reads the journal.
    func open() async throws(TidelineError) -> View {
        try await change { _ throws(TidelineError) in }
    }

    /// Appends what was done on this device.
    func append(_ moves: PositionMoves) async throws(TidelineError) -> View {
        try await change { journal throws(TidelineError) in try journal.append(moves) }
    }

    /// Changes the state.
    func update(_ body: @escaping @Sendable (inout PositionState) -> Void) async throws(TidelineError) -> View {
        try await change { journal throws(TidelineError) in try journal.update(body) }
    }

    /// Writes the journal anew, without what has expired.
    func compact(at instant: Instant) async throws(TidelineError) -> View {
        try await change { journal throws(TidelineError) in try journal.compact(at: instant) }
    }

    private func change(
        _ body: @escaping @Sendable (inout PositionJournal) throws(TidelineError) -> Void
    ) async throws(TidelineError) -> View {
        let (file, owner, settings) = (file, owner, settings)
        return try await queue.run { [self] () throws(TidelineError) -> View in
            // Only the queue's thread comes here, so nobody waits for the lock.
            let result = contents.withLock { contents -> Result<View, TidelineError> in
                do throws(TidelineError) {
                    var journal: PositionJournal
                    if let open = contents.journal {
                        journal = open
                    } else {
                        journal = try PositionJournal(file: file, owner: owner, settings: settings)
                    }
                    // Also what a call that failed has read is kept.
                    defer { contents.journal = journal }
                    try body(&journal)
                    contents.calls += 1
                    return .success(
                        View(
                            state: journal.state, number: contents.calls, saves: journal.saves,
                            skippedLines: journal.skippedLines))
                } catch {
                    return .failure(error)
                }
            }
            return try result.get()
        }
    }
}
