import Access
import Foundation
import HTTPServer
import Messages
import Positions
import Synchronization
import Timelines

/// Reads of positions.
final class PositionReads: Sendable {
    private let context: GatewayContext
    /// The restores that this server has answered, of the readers that asked last.
    private let restorations = Mutex(LRUCache<ReaderKey, RestorationCounts>(capacity: 10_000))

    init(_ context: GatewayContext) {
        self.context = context
    }

    private var settings: PositionSettings { context.settings.positions }

    // MARK: - Positions

    func list(_ request: GatewayRequest) throws(Problem) -> HTTPAnswer {
        let (limit, after) = (try request.query.limit(), try request.query.text("after"))
        try context.requireReady()
        let readerId = request["readerId"]
        guard request.caller.readers.contains(readerId) else { throw .notFound }
        let (positions, hasMore) = visible(readerId, request.caller, after: after, limit: limit)
        return .now(
            .json(headers: [HTTPField("Cache-Control", "private, no-cache")]) { json in
                json.beginObject()
                json.array("items", positions.compactMap(\.merged)) { json, merged in
                    merged.bytes.withBytes { json.raw($0) }
                }
                if hasMore { json.string("next", positions.last?.configurationId) }
                json.endObject()
            })
    }

    /// The merged positions that a caller may see behind a configuration, and true if there are more.
    private func visible(
        _ readerId: String, _ caller: Caller, after: String?, limit: Int
    ) -> (positions: [StoredPositions], hasMore: Bool) {
        var found: [StoredPositions] = []
        var after = after
        while true {
            let page = context.views.positions(readerId: readerId, after: after, limit: 500)
            for positions in page.positions
            where context.maySee(
                ReaderKey(readerId: readerId, configurationId: positions.configurationId), caller)
            {
                if found.count == limit { return (found, true) }
                found.append(positions)
            }
            guard page.hasMore, let last = page.positions.last else { return (found, false) }
            after = last.configurationId
        }
    }

    func merged(_ request: GatewayRequest) throws(Problem) -> HTTPAnswer {
        let key = try context.readerKey(for: request)
        guard let merged = stored(key)?.merged else { throw .notFound }
        return try request.answer(merged.entityTag) { .json(200, merged.bytes) }
    }

    private func stored(_ key: ReaderKey) -> StoredPositions? {
        context.views.positions(readerId: key.readerId, configurationId: key.configurationId)
    }

    private func known(_ key: ReaderKey) -> ReaderPositions {
        let now = context.clock.wall
        var known = stored(key)?.known(settings, now: now) ?? ReaderPositions()
        known.expire(at: now, settings: settings)
        return known
    }

    // MARK: - Restores

    func restore(_ request: GatewayRequest) throws(Problem) -> HTTPAnswer {
        let deviceId = try request.query.text("deviceId")
        let fallback = try request.query.name("fallback", of: FallbackStrategy.self)
        let key = try context.readerKey(for: request)
        let entries = try context.entries(for: key, request.caller)
        let restoration = PositionRestorer(settings: settings).restore(
            known(key), deviceId: deviceId, into: entries, fallback: fallback, at: context.clock.wall)
        restorations.withLock { restorations in
            var counts = restorations.value(for: key) ?? RestorationCounts()
            counts.count(restoration.method)
            restorations.insert(counts, for: key)
        }
        return .now(try .encoded(restoration))
    }

    func suggestions(_ request: GatewayRequest) throws(Problem) -> HTTPAnswer {
        let deviceId = try request.query.text("deviceId")
        let key = try context.readerKey(for: request)
        let entries = try context.entries(for: key, request.caller)
        let suggestions = PositionRestorer(settings: settings).suggestions(
            known(key), deviceId: deviceId, in: entries, at: context.clock.wall)
        return .now(try .encoded(["items": suggestions]))
    }

    // MARK: - Debugging

    func debug(_ request: GatewayRequest) throws(Problem) -> HTTPAnswer {
        let deviceId = try request.query.text("deviceId")
        let key = try context.readerKey(for: request)
        guard let stored = stored(key) else { throw .notFound }
        var known = known(key)
        if let deviceId { known = known.only(device: deviceId) }
        let export = PositionDebugExport(
            known, readerId: key.readerId, configurationId: key.configurationId, syncStatus: syncStatus(stored),
            lastSyncTime: stored.merged?.timestamp, settings: settings,
            restorations: restorations.withLock { $0.peek(key) } ?? RestorationCounts())
        return .now(try .encoded(export))
    }

    /// A server has synchronised what the pipeline has merged: a record is merged if it was written before the merged
    /// one, or if it brought nothing new.
    private func syncStatus(_ stored: StoredPositions) -> SyncStatus {
        guard let merged = stored.merged else { return .syncing }
        var parser = JSONParser()
        let isMerged = stored.devices.allSatisfy { device in
            if device.value.timestamp <= merged.timestamp { return true }
            guard let record = try? device.value.bytes.withBytes({ try PositionRecord.decode($0, with: &parser) })
            else { return true }
            return merged.covers(record)
        }
        return isMerged ? .success(at: merged.timestamp) : .syncing
    }
}

extension HTTPResponse {
    /// An answer with the JSON of a value, its keys in order.
    fileprivate static func encoded(_ value: some Encodable) throws(Problem) -> HTTPResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let bytes = SharedBytes(try encoder.encode(value) + [UInt8(ascii: "\n")])
            return .json(200, bytes, headers: [HTTPField("Cache-Control", "no-store")])
        } catch {
            throw .internalError("The answer cannot be written as JSON.")
        }
    }
}
