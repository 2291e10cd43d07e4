import Foundation
import TidelineClient

/// One reader at one timeline: what is shown, and where they are.
actor ReadingSession {
    let client: TidelineClient
    let store: PositionStore
    private var tasks: [Task<Void, Never>] = []
    private var changed: @Sendable () -> Void = {}

    private(set) var loaded: LoadedTimeline?
    /// The index of the entry at which the reader is.
    private(set) var place: Int?
    /// The restore that was made last.
    private(set) var restoration: Restoration?
    private(set) var suggestions: [RestorationSuggestion] = []
    /// The problem that was met last; `nil` means that the server answers.
    private(set) var problem: String?

    init(_ client: TidelineClient, _ store: PositionStore) {
        self.client = client
        self.store = store
    }

    var entries: [TimelineEntry] { loaded?.timeline.timeline.entries ?? [] }
    var entry: TimelineEntry? { place.flatMap { entries.indices ~= $0 ? entries[$0] : nil } }

    // MARK: - What happens outside

    /// Shows the timeline as the device has it, then as the server has it, then each change.
    func follow(_ changed: @escaping @Sendable () -> Void) async {
        self.changed = changed
        await load()
        let (events, status) = (
            client.events(EventFilter([.timelines, .positions], configurationId: store.configurationId)),
            store.syncStatus
        )
        tasks = [
            Task { [weak self] in
                do {
                    for try await event in events { await self?.hear(event) }
                } catch {
                    await self?.met("\(error)")
                }
            },
            Task { [weak self] in
                for await status in status {
                    if case .success = status { await self?.othersMoved() }
                    await self?.redraw()
                }
            },
        ]
    }

    func end() {
        for task in tasks { task.cancel() }
    }

    private func load() async {
        do {
            for try await loaded in client.timelines(for: store.configurationId) { await show(loaded) }
        } catch {
            met("\(error)")
        }
    }

    private func hear(_ event: ServerEvent) async {
        switch event {
        case .timeline(let timeline): await show(LoadedTimeline(timeline, from: .server))
        case .position, .positionRemoved:
            await tell(event)
            await othersMoved()
        case .gap:
            await tell(event)
            await load()
        case .connected:
            problem = nil
            // What came while there was no connection.
            await tell(event)
            await load()
        case .disconnected(let error, let retryAt): met("\(error) Next try at \(retryAt.rfc3339).")
        case .timelineRemoved: met("The configuration is gone.")
        case .reload: break
        }
        redraw()
    }

    private func tell(_ event: ServerEvent) async {
        do {
            try await store.receive(event)
        } catch {
            met("\(error)")
        }
    }

    private func met(_ problem: String) {
        self.problem = problem
        redraw()
    }

    private func redraw() { changed() }

    // MARK: - The place

    /// Shows a timeline. The reader stays at their entry; where it is gone, or nothing was shown before, their place is
    /// restored.
    private func show(_ loaded: LoadedTimeline) async {
        let here = entry?.id
        self.loaded = loaded
        place = here.flatMap { id in entries.firstIndex { $0.id == id } }
        if place == nil {
            _ = await restore(nil)
        } else {
            // Suggestions have the indexes of the timeline for which they were made.
            await othersMoved()
        }
        redraw()
    }

    func restore(_ fallback: FallbackStrategy?) async -> Restoration {
        let asked = entries
        let restoration = await store.restorePosition(for: asked, fallbackStrategy: fallback)
        self.restoration = restoration
        // Another timeline may have come meanwhile, in which the entry has another index.
        place = restoration.index.flatMap { index in entries.firstIndex { $0.id == asked[index].id } }
        suggestions = restoration.suggestions
        return restoration
    }

    /// Another device may have gone on.
    func othersMoved() async {
        suggestions = await store.restorationSuggestions(for: entries)
    }

    /// The reader scrolls to an entry.
    func go(to index: Int) async {
        guard entries.indices ~= index else { return }
        place = index
        await store.recordPosition(entryId: entries[index].id, scrollOffset: 0)
    }

    /// Goes where the first suggestion points.
    ///
    /// - Returns: false if nothing is suggested, or the entry is gone.
    func goOn() async -> Bool {
        guard let suggestion = suggestions.first else { return false }
        suggestions = []
        guard let index = entries.firstIndex(where: { $0.id == suggestion.entryId }) else { return false }
        await go(to: index)
        return true
    }

    func dismiss() async {
        await store.dismissRestorationSuggestions()
        suggestions = []
    }
}
