internal import Foundation
internal import Positions

/// Entries around a reader, not all of a timeline.
extension TidelineClient {
    /// Entries of a timeline around one of them: `scrollBufferSize` of them, of which at least `renderAheadCount` come
    /// after it, where there are so many. Without an entry, and if the timeline does not have it, the first ones.
    ///
    /// With `lazyLoading` only these entries are loaded. Without it, and with `cloudSync` off, the whole timeline is
    /// loaded and kept, and the server does not learn where the reader is. If the server does not answer, the entries
    /// come from the cache.
    ///
    /// - Throws: `.refused` if the server refuses for good, and `.unreachable` if nothing is in the cache either.
    public func entries(
        of configurationId: String, around entryId: String? = nil
    ) async throws(TidelineError) -> EntryWindow {
        let settings = configuration.settings.positions
        guard settings.lazyLoading, settings.cloudSync else {
            return window(of: try await timeline(for: configurationId), around: entryId)
        }
        do {
            return try await loadEntries(of: configurationId, around: entryId)
        } catch {
            guard error.isTemporary, let cached = await cachedTimeline(for: configurationId) else { throw error }
            connection.note("entries of \(configurationId) come from the cache: \(error)")
            return window(of: cached, around: entryId)
        }
    }

    private func window(of loaded: LoadedTimeline, around entryId: String?) -> EntryWindow {
        let entries = loaded.timeline.timeline.entries
        let position = entryId.flatMap { id in entries.firstIndex { $0.id == id } }
        let range = EntryRange(around: position ?? 0, of: entries.count, configuration.settings.positions).range
        return EntryWindow(
            entries: Array(entries[range]), first: range.lowerBound, total: entries.count, position: position)
    }

    private func loadEntries(
        of configurationId: String, around entryId: String?
    ) async throws(TidelineError) -> EntryWindow {
        let settings = configuration.settings.positions
        guard let entryId else { return try await loadEntries(of: configurationId, 0..<settings.scrollBufferSize) }
        let found: EntryWindow
        do {
            found = try await loadEntries(of: configurationId, [("around", entryId)])
        } catch .refused(let problem) where problem.status == 404 {
            // The entry is gone, or the timeline is; the next answer says which.
            return try await loadEntries(of: configurationId, 0..<settings.scrollBufferSize)
        }
        guard let position = found.position else { return found }
        // The server's bounds may be others than this client's.
        let wanted = EntryRange(around: position, of: found.total, settings).range
        let range = found.first..<found.first + found.entries.count
        guard wanted.clamped(to: range) != wanted else { return found }
        var window = try await loadEntries(of: configurationId, wanted)
        window.position = window.entries.firstIndex { $0.id == entryId }.map { window.first + $0 }
        return window
    }

    private func loadEntries(
        of configurationId: String, _ range: Range<Int>
    ) async throws(TidelineError) -> EntryWindow {
        let (offset, limit) = (String(range.lowerBound), String(min(500, max(1, range.count))))
        return try await loadEntries(of: configurationId, [("offset", offset), ("limit", limit)])
    }

    private func loadEntries(
        of configurationId: String, _ query: [(name: String, value: String)]
    ) async throws(TidelineError) -> EntryWindow {
        let call = ServerConnection.Call(path: ["timelines", configurationId, "entries"], query: query)
        return try EntryWindow(JSONFields(try await connection.send(call).body))
    }
}

/// The entries to load around one of them.
struct EntryRange: Hashable {
    let range: Range<Int>

    /// - Parameters:
    ///   - position: the index of the entry.
    ///   - count: how many entries there are.
    init(around position: Int, of count: Int, _ settings: PositionSettings) {
        let size = min(max(1, settings.scrollBufferSize), count)
        // The entry itself is one of them, so at most one less comes after it.
        let after = min(max(settings.renderAheadCount, (size - 1) / 2), max(0, size - 1))
        let end = min(count, position + 1 + after)
        let start = max(0, end - size)
        range = start..<min(count, start + size)
    }
}
