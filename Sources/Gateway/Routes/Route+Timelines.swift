import Access
import HTTPServer
import Messages
import Timelines

/// Timelines by configuration and by recipient.
extension Route {
    static func timelines(_ context: GatewayContext) -> [Route] {
        [
            .get("/v1/timelines", query: ["recipient", "kind", "limit", "after"]) { request throws(Problem) in
                try context.requireReady()
                let recipient = try request.query.text("recipient")
                return try page(context, request, recipient: recipient, kind: request.query.text("kind"), isFull: false)
            },
            .get("/v1/recipients/{recipient}/timelines", query: ["full", "limit", "after"]) {
                request throws(Problem) in
                try context.requireReady()
                let isFull = try request.query.bool("full") ?? false
                return try page(context, request, recipient: request["recipient"], kind: nil, isFull: isFull)
            },
            .get("/v1/timelines/{configurationId}", query: ["since"]) { request throws(Problem) in
                let since = try request.query.integer("since", in: 0...Int64.max)
                let timeline = try context.timeline(for: request)
                guard let since else {
                    return try request.answer(timeline.entityTag) { .json(200, timeline.value) }
                }
                return try request.answer(timeline.entityTag) { timeline.changes(since: since) }
            },
        ]
    }

    private static func page(
        _ context: GatewayContext, _ request: GatewayRequest, recipient: String?, kind: String?, isFull: Bool
    ) throws(Problem) -> HTTPAnswer {
        let (timelines, hasMore) = context.views.timelines(
            recipient: recipient, kind: kind, recipients: request.caller.recipients,
            after: try request.query.text("after"), limit: try request.query.limit())
        return .now(
            .json(headers: [HTTPField("Cache-Control", "private, no-cache")]) { json in
                json.beginObject()
                json.array("items", timelines) { json, timeline in
                    if isFull {
                        timeline.value.withBytes { json.raw($0) }
                    } else {
                        json.summary(timeline)
                    }
                }
                if hasMore { json.string("next", timelines.last?.configurationId) }
                json.endObject()
            })
    }
}

extension GatewayContext {
    /// The timeline that a request's path names.
    ///
    /// - Throws: 404 if there is none, or the caller may not see it; 503 before the topics were read.
    package func timeline(for request: GatewayRequest) throws(Problem) -> StoredTimeline {
        try requireReady()
        guard let timeline = views.timeline(request["configurationId"]),
            request.caller.recipients.contains(timeline.recipient)
        else { throw .notFound }
        return timeline
    }
}

extension JSONWriter {
    fileprivate mutating func summary(_ timeline: StoredTimeline) {
        beginObject()
        string("configurationId", timeline.configurationId)
        string("kind", timeline.kind)
        string("recipient", timeline.recipient)
        integer("revision", timeline.revision)
        instant("generatedAt", timeline.generatedAt)
        instant("nextUpdate", timeline.nextUpdate)
        endObject()
    }
}

extension StoredTimeline {
    /// What changed since a revision: entries that are new or another, and the ids of those that are gone. If the
    /// server does not know, it is all entries, and `complete` is true.
    fileprivate func changes(since revision: Int64) -> HTTPResponse {
        // A revision that is yet to come is of another topic of this name.
        let isKnown = revision <= self.revision && history.knows(revision)
        return .json { json in
            withJSON { text in
                let fields = RawFields(text, text.whole)
                json.beginObject()
                json.string("configurationId", configurationId)
                json.integer("revision", self.revision)
                json.integer("since", revision)
                json.bool("complete", !isKnown)
                json.key("entries")
                json.beginArray()
                let entries = fields["entries"].map { text.elements(of: $0) } ?? []
                for (index, entry) in entries.enumerated()
                where !isKnown || history.hasChanged(index, since: revision) {
                    json.raw(text.slice(entry))
                }
                json.endArray()
                json.strings("removed", isKnown ? history.removed(since: revision) : [])
                for name in ["generatedAt", "validUntil", "policy", "nextUpdate"] {
                    guard let value = fields[name] else { continue }
                    json.key(named: name)
                    json.raw(text.slice(value))
                }
                json.endObject()
            }
        }
    }
}
