import Foundation
import TidelineClient

/// The snippets of Documentation/Client.md, compiled. `ClientPageTests` hold the page to this file and run it.
struct ClientPage {
    var address: URL
    var token: String
    var folder: URL
    var file: URL
    var transport: any HTTPTransport
    let said = Locked<[String]>([])

    func makeClient() throws -> TidelineClient {
        var configuration = ClientConfiguration(
            baseURL: address, token: BearerToken(token), readerId: "ana", directory: folder)
        configuration.settings = try ClientSettings(propertyListAt: file)
        configuration.transport = transport
        let client = try TidelineClient(configuration: configuration)
        return client
    }

    func showUpdates(_ client: TidelineClient) async throws {
        for try await loaded in client.timelines(for: "studio-wall") {
            show(loaded.timeline.timeline.entries, isCurrent: loaded.source == .server)
        }
    }

    func inForce(_ client: TidelineClient) async throws -> TimelineEntry? {
        let loaded = try await client.timeline(for: "studio-wall")
        let entry = loaded.timeline.entry(at: SystemClock().now)
        return entry
    }

    func showWindow(_ client: TidelineClient, _ entryId: String) async throws {
        let window = try await client.entries(of: "studio-wall", around: entryId)
        show(window.entries, isCurrent: true)
    }

    func follow(_ client: TidelineClient, _ store: PositionStore) async throws {
        for try await event in client.events(EventFilter([.timelines, .positions], configurationId: "studio-wall")) {
            switch event {
            case .timeline(let timeline): show(timeline.timeline.entries, isCurrent: true)
            case .disconnected(_, let retryAt): showOffline(until: retryAt)
            case .gap: try await reload()
            default: try await store.receive(event)
            }
        }
    }

    func restore(_ client: TidelineClient, _ entries: [TimelineEntry]) async throws -> PositionStore {
        let store = try await client.positionStore(for: "studio-wall")
        let place = await store.restorePosition(for: entries)
        scroll(to: place.index, offset: place.offset)
        return store
    }

    func record(_ store: PositionStore, _ entryId: String, _ offset: Double) async {
        await store.recordPosition(entryId: entryId, scrollOffset: offset)
    }

    func suggest(_ store: PositionStore, _ entries: [TimelineEntry]) async {
        for suggestion in await store.restorationSuggestions(for: entries) {
            offer(suggestion.title, suggestion.description, of: suggestion.entryId)
        }
    }

    func dismiss(_ store: PositionStore) async {
        await store.dismissRestorationSuggestions()
    }

    func sync(_ store: PositionStore) async -> SyncStatus {
        let status = await store.syncAcrossDevices()
        return status
    }

    func showStatus(_ store: PositionStore) async {
        for await status in store.syncStatus {
            switch status {
            case .idle, .syncing: break
            case .success(let at): showSynced(at: at)
            case .offline(let pending): showWaiting(pending)
            case .error(let message, let retryAt): showProblem(message, until: retryAt)
            }
        }
    }

    func end(_ client: TidelineClient, _ store: PositionStore) async throws {
        try await store.save()
        try await client.performMaintenance()
        try await client.stop()
    }

    // MARK: - What an app would do

    private func say(_ text: String) { said.withLock { $0.append(text) } }

    private func show(_ entries: [TimelineEntry], isCurrent: Bool) {
        say("\(entries.count) entries, current: \(isCurrent)")
    }
    private func showOffline(until: Instant) { say("offline") }
    private func reload() async throws { say("reload") }
    private func scroll(to index: Int?, offset: Double) { say("scroll to \(index ?? -1)") }
    private func offer(_ title: String, _ description: String, of entryId: String) { say("continue at \(entryId)?") }
    private func showSynced(at: Instant) { say("synced") }
    private func showWaiting(_ pending: Int) { say("\(pending) waiting") }
    private func showProblem(_ message: String, until: Instant) { say(message) }
}
