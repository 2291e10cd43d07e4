import Access
import HTTPServer
import Messages
import Positions

/// Where readers are: reads, writes, restores and what may be said about them.
extension Route {
    static func positions(_ context: GatewayContext) -> [Route] {
        let reads = PositionReads(context)
        let writes = PositionWrites(context)
        let one: RoutePattern = "/v1/readers/{readerId}/positions/{configurationId}"
        func below(_ name: String) -> RoutePattern { RoutePattern("\(one)/\(name)") }
        return [
            .get("/v1/readers/{readerId}/positions", query: ["limit", "after"], reads.list),
            .get(one, reads.merged),
            Route(.put, one, scope: .write, query: ["wait"], writes.put),
            Route(.delete, one, scope: .write, query: ["deviceId"], writes.delete),
            .get(below("restore"), query: ["deviceId", "fallback"], reads.restore),
            .get(below("suggestions"), query: ["deviceId"], reads.suggestions),
            .get(below("debug"), query: ["deviceId"], reads.debug),
            Route(.post, below("dismissals"), scope: .write, query: ["wait"], writes.dismiss),
        ]
    }
}

extension GatewayContext {
    /// The reader and the configuration that a request's path names.
    ///
    /// For a caller that is confined to recipients, a configuration that nobody knows is one that it may not see.
    ///
    /// - Throws: 404 if the caller may not see them; 503 before the topics were read.
    func readerKey(for request: GatewayRequest) throws(Problem) -> ReaderKey {
        try requireReady()
        let key = ReaderKey(readerId: request["readerId"], configurationId: request["configurationId"])
        guard maySee(key, request.caller) else { throw .notFound }
        return key
    }

    /// True if the positions exist for a caller: the rule of streams, too.
    func maySee(_ key: ReaderKey, _ caller: Caller) -> Bool {
        caller.maySeePositions(of: key.readerId, ofRecipient: views.recipient(of: key.configurationId))
    }

    /// The entries of the timeline into which a reader is led back.
    ///
    /// A caller that names readers alone sees no timeline. For it the timeline exists once its reader has been there.
    ///
    /// - Throws: 404 if there is no timeline for the caller; 503 if this version cannot read it.
    func entries(for key: ReaderKey, _ caller: Caller) throws(Problem) -> [PositionedEntry] {
        guard let timeline = views.timeline(key.configurationId) else { throw .notFound }
        let hasBeenThere = views.positions(readerId: key.readerId, configurationId: key.configurationId) != nil
        guard caller.recipients.contains(timeline.recipient) || hasBeenThere else { throw .notFound }
        return try timeline.positionedEntries()
    }
}

extension StoredPositions {
    /// All that is known: the merged position and the devices' own records, which may be newer.
    ///
    /// - Parameter now: a record that is dated later, by a producer whose clock is fast, arrives now (P5).
    func known(_ settings: PositionSettings, now: Instant) -> ReaderPositions {
        var parser = JSONParser()
        var known = ReaderPositions()
        if let merged, let position = try? merged.bytes.withBytes({ try MergedPosition.decode($0, with: &parser) }) {
            known = ReaderPositions(position, settings: settings)
        }
        for (_, value) in devices {
            guard let record = try? value.bytes.withBytes({ try PositionRecord.decode($0, with: &parser) }) else {
                continue
            }
            known.record(record, arrival: min(value.timestamp, now), settings: settings)
        }
        return known
    }
}

extension StoredValue {
    /// The entity tag of a merged position: the place of its record and the time of its producing.
    var entityTag: String { "\"\(place.partition)-\(place.offset)-\(timestamp.milliseconds)\"" }
}

extension StoredTimeline {
    /// The entries, as far as a restore needs them.
    ///
    /// - Throws: 503 if this version cannot read the timeline.
    fileprivate func positionedEntries() throws(Problem) -> [PositionedEntry] {
        var parser = JSONParser()
        do {
            return try value.withBytes { try TimelineRecord.decode($0, with: &parser) }.timeline.entries.map {
                PositionedEntry($0)
            }
        } catch {
            throw .unavailable("The timeline is of a form that this server cannot read.")
        }
    }
}
