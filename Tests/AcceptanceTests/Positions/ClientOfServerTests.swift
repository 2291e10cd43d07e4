import Foundation
import TestSupport
import Testing
import TidelineClient

extension AcceptanceTests {
    /// The client library against the server as it is.
    @Suite struct ClientOfServerTests {
        private let token = "a-token-that-nobody-will-guess"

        private func client(_ world: ReadingWorld, token: String, reader: String = "ana") throws -> TidelineClient {
            var configuration = ClientConfiguration(
                baseURL: try #require(URL(string: world.address)), token: BearerToken(token), readerId: reader,
                deviceId: "test", directory: TemporaryDirectory.make("client"))
            configuration.settings.positions.scrollBufferSize = 6
            configuration.settings.positions.renderAheadCount = 4
            return try TidelineClient(configuration: configuration)
        }

        @Test("timelines, entries, tokens, and events over a restart of the server")
        func library() async throws {
            var world = try await ReadingWorld(token: token)
            let client = try client(world, token: token)
            let isThere = await eventually { (try? await client.timeline(for: "wall")) != nil }
            try #require(isThere)
            var sources: [LoadedTimeline.Source] = []
            for try await loaded in client.timelines(for: "wall") {
                sources.append(loaded.source)
                #expect(loaded.timeline.timeline.entries.count == 20 && loaded.timeline.revision == 1)
            }
            #expect(sources.count == 2 && sources.last == .server)

            let entries = try await client.timeline(for: "wall").timeline.timeline.entries
            let window = try await client.entries(of: "wall", around: entries[12].id)
            #expect(window.position == 12 && window.total == 20)
            #expect(window.entries.contains { $0.id == entries[12].id } && window.entries.count >= 6)
            #expect(window.first + window.entries.count >= 12 + 1 + 4)
            #expect(window.entries == Array(entries[window.first..<window.first + window.entries.count]))
            #expect(try await client.timelines(ofRecipient: "ana").map(\.timeline.configurationId) == ["wall"])

            try await refusals(world)
            try await events(&world, client)
            try await client.stop()
            try await world.end()
        }

        private func refusals(_ world: ReadingWorld) async throws {
            let stranger = try client(world, token: "another-token-altogether")
            let error = await #expect(throws: TidelineError.self) { try await stranger.timeline(for: "wall") }
            guard case .refused(let problem)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(problem.status == 401)
            await #expect(throws: TidelineError.self) {
                for try await _ in stranger.events() {}
            }
            // The token is confined to reader ana; of others nothing is known.
            let other = try client(world, token: token, reader: "ben")
            let store = try await other.positionStore(for: "wall")
            await store.recordPosition(entryId: "x", scrollOffset: 0)
            guard case .error(let message, _) = await store.syncAcrossDevices() else {
                Issue.record("\(store.syncStatus.current)")
                return
            }
            #expect(message.hasPrefix("HTTP 404"))
            #expect(await store.exportStateForDebugging().pending == 1)
        }

        private func events(_ world: inout ReadingWorld, _ client: TidelineClient) async throws {
            let heard = Events()
            let listening = Task {
                for try await event in client.events(EventFilter([.timelines])) { await heard.add(event) }
            }
            defer { listening.cancel() }
            #expect(await eventually { await heard.connections == 1 })
            try await world.publish(entries: 10)
            #expect(await eventually { await heard.sizes == [10] })
            try await world.killServer()
            #expect(await eventually { await heard.isDisconnected })
            // Nobody tells of this; the next connection begins behind the last event.
            try await world.publish(entries: 5)
            try await world.startServer()
            #expect(await eventually(within: .seconds(180)) { await heard.connections == 2 })
            #expect(await eventually { await heard.sizes == [10, 5] })
            #expect(await client.cachedTimeline(for: "wall")?.timeline.timeline.entries.count == 5)
        }

        private actor Events {
            private var all: [ServerEvent] = []

            func add(_ event: ServerEvent) { all.append(event) }

            var connections: Int { all.count { $0 == .connected } }
            var isDisconnected: Bool {
                if case .disconnected? = all.last { true } else { false }
            }
            /// How many entries the timelines had.
            var sizes: [Int] {
                all.compactMap { event in
                    if case .timeline(let timeline) = event { timeline.timeline.entries.count } else { nil }
                }
            }
        }
    }
}
