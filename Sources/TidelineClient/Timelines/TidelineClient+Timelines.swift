internal import Foundation
internal import Positions

/// Timelines, which are kept on the device.
extension TidelineClient {
    /// The timeline of a configuration: the server's, or that of the cache if the server does not answer.
    ///
    /// - Throws: `.refused` if the server refuses for good, and `.unreachable` if nothing is in the cache either.
    public func timeline(for configurationId: String) async throws(TidelineError) -> LoadedTimeline {
        let cached = await cached(configurationId)
        do {
            return try await load(configurationId, knowing: cached)
        } catch {
            guard error.isTemporary, let cached else { throw error }
            connection.note("\(configurationId) comes from the cache: \(error)")
            return LoadedTimeline(cached.timeline, from: .cache(at: cached.fetchedAt))
        }
    }

    /// The timeline of a configuration as the device has it; `nil` if it has none. Nothing is asked of the server.
    public func cachedTimeline(for configurationId: String) async -> LoadedTimeline? {
        await cached(configurationId).map { LoadedTimeline($0.timeline, from: .cache(at: $0.fetchedAt)) }
    }

    /// The timeline of a configuration, first as the device has it, then as the server has it.
    ///
    /// Iterating fails if the server does not answer or refuses; what the device had has come before.
    public func timelines(for configurationId: String) -> TimelineUpdates {
        TimelineUpdates(client: self, configurationId: configurationId)
    }

    /// The timelines of a recipient, ascending by configurationId: the server's, or those of the cache if the server
    /// does not answer.
    ///
    /// - Throws: `.refused` if the server refuses for good, and `.unreachable` if the cache has none either.
    public func timelines(ofRecipient recipient: String) async throws(TidelineError) -> [LoadedTimeline] {
        do {
            return try await loadAll(ofRecipient: recipient)
        } catch {
            guard error.isTemporary else { throw error }
            let cached = try await cache.timelines(ofRecipient: recipient)
            guard !cached.isEmpty else { throw error }
            connection.note("the timelines of \(recipient) come from the cache: \(error)")
            return cached.map { LoadedTimeline($0.timeline, from: .cache(at: $0.fetchedAt)) }
        }
    }

    // MARK: - The cache

    /// A cache that cannot be read is as good as empty: the server has everything.
    func cached(_ configurationId: String) async -> CachedTimeline? {
        do {
            return try await cache.timeline(for: configurationId)
        } catch {
            connection.note("\(error)")
            return nil
        }
    }

    /// Keeps a timeline, or forgets it. What cannot be kept is shown nonetheless.
    func keep(_ timeline: CachedTimeline?, for configurationId: String) async {
        do throws(TidelineError) {
            if let timeline { try await cache.store(timeline) } else { try await cache.remove(configurationId) }
        } catch {
            connection.note("\(error)")
        }
    }

    // MARK: - The server

    /// The timeline as the server has it.
    ///
    /// - Parameter cached: what the device has; the server need not send it again.
    func load(_ configurationId: String, knowing cached: CachedTimeline?) async throws(TidelineError) -> LoadedTimeline
    {
        var call = ServerConnection.Call(path: ["timelines", configurationId])
        if let etag = cached?.etag { call.headers["If-None-Match"] = etag }
        let response: TransportResponse
        do {
            response = try await connection.send(call, accepting: cached?.etag == nil ? [] : [304])
        } catch {
            // What is gone, or may not be seen any more, is not shown offline either.
            if case .refused(let problem) = error, problem.isNotFound { await keep(nil, for: configurationId) }
            throw error
        }
        if response.head.status == 304, var cached {
            cached.fetchedAt = configuration.clock.now
            await keep(cached, for: configurationId)
            return LoadedTimeline(cached.timeline, from: .server)
        }
        let timeline = try PublishedTimeline(json: response.body)
        guard timeline.configurationId == configurationId else {
            throw .unreadable("configurationId must be \(configurationId), not \(timeline.configurationId)")
        }
        let loaded = CachedTimeline(
            timeline: timeline, body: response.body, etag: response.head["ETag"], fetchedAt: configuration.clock.now)
        await keep(loaded, for: configurationId)
        return LoadedTimeline(timeline, from: .server)
    }

    private func loadAll(ofRecipient recipient: String) async throws(TidelineError) -> [LoadedTimeline] {
        var loaded: [LoadedTimeline] = []
        var after: String?
        repeat {
            var call = ServerConnection.Call(
                path: ["recipients", recipient, "timelines"], query: [("full", "true"), ("limit", "500")])
            if let after { call.query.append(("after", after)) }
            let page = try JSONFields(try await connection.send(call).body)
            for case .object(let members) in try page.require("items", page.values("items")) {
                let timeline = try PublishedTimeline(JSONFields(.object(members), path: "items[\(loaded.count)]"))
                let body = Data(JSONText.bytes(of: .object(members)))
                await keep(
                    CachedTimeline(timeline: timeline, body: body, etag: nil, fetchedAt: configuration.clock.now),
                    for: timeline.configurationId)
                loaded.append(LoadedTimeline(timeline, from: .server))
            }
            let next = try page.text("next")
            guard next == nil || next != after else { throw .unreadable("next must be another one on each page") }
            after = next
        } while after != nil
        return loaded
    }
}

extension TidelineError {
    /// True if the same request may succeed later: until then what the device has is shown.
    var isTemporary: Bool {
        switch self {
        case .unreachable: true
        case .refused(let problem): problem.isTemporary
        case .unreadable, .storage, .cancelled: false
        }
    }
}

/// A timeline as the device has it, then as the server has it.
public struct TimelineUpdates: AsyncSequence, Sendable {
    public typealias Element = LoadedTimeline

    let client: TidelineClient
    let configurationId: String

    public func makeAsyncIterator() -> Iterator {
        Iterator(client: client, configurationId: configurationId)
    }

    /// Goes through the two.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Step {
            case cache
            case server(CachedTimeline?)
            case end
        }

        private let client: TidelineClient
        private let configurationId: String
        private var step = Step.cache

        init(client: TidelineClient, configurationId: String) {
            self.client = client
            self.configurationId = configurationId
        }

        /// The next of the two; `nil` after the server's.
        public mutating func next() async throws -> LoadedTimeline? {
            if case .cache = step {
                let cached = await client.cached(configurationId)
                step = .server(cached)
                if let cached { return LoadedTimeline(cached.timeline, from: .cache(at: cached.fetchedAt)) }
            }
            guard case .server(let cached) = step else { return nil }
            step = .end
            return try await client.load(configurationId, knowing: cached)
        }
    }
}
