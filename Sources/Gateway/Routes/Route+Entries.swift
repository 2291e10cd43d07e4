import HTTPServer
import Messages
import Positions
import Timelines

/// Entries of a timeline: a part for a scroll buffer, those to come, the one in force.
extension Route {
    static func entries(_ context: GatewayContext) -> [Route] {
        [
            .get("/v1/timelines/{configurationId}/entries", query: ["around", "offset", "limit"]) {
                request throws(Problem) in
                let window = try EntryWindow(request.query, context.settings)
                let timeline = try context.timeline(for: request)
                return try request.answer(timeline.entityTag) { () throws(Problem) in
                    guard let answer = timeline.entries({ window.response(of: $0) }) else {
                        throw Problem(
                            404, "not-found", "There is nothing here.", detail: "The timeline has no such entry.",
                            errors: [.init(field: "around", message: "is no entry of this timeline")])
                    }
                    return answer
                }
            },
            .get("/v1/timelines/{configurationId}/upcoming", query: ["limit", "phase"]) { request throws(Problem) in
                let limit = try request.query.limit()
                let phase = try request.query.name("phase", of: TimelineEntry.Phase.self)
                let timeline = try context.timeline(for: request)
                let now = context.clock.wall
                return .now(
                    timeline.entries { entries in
                        let wanted = (0..<entries.count).filter { index in
                            guard let date = entries.date(index), date > now else { return false }
                            return phase == nil || entries.phase(index) == phase?.rawValue
                        }
                        return .momentary { json in
                            json.array("items", Array(wanted.prefix(limit))) { json, index in json.raw(entries[index]) }
                        }
                    })
            },
            .get("/v1/timelines/{configurationId}/at", query: ["instant"]) { request throws(Problem) in
                guard let instant = try request.query.instant("instant") else {
                    throw .invalidParameter("instant", "is missing; it \(QueryParameters.instantAllowed)")
                }
                return .now(try inForce(at: instant, in: context.timeline(for: request), isSnapshot: false))
            },
            .get("/v1/timelines/{configurationId}/snapshot") { request throws(Problem) in
                .now(try inForce(at: context.clock.wall, in: context.timeline(for: request), isSnapshot: true))
            },
        ]
    }

    /// - Throws: 404 if the instant lies before the first entry: nobody knows what was shown then.
    private static func inForce(
        at instant: Instant, in timeline: StoredTimeline, isSnapshot: Bool
    ) throws(Problem) -> HTTPResponse {
        let response = timeline.entries { entries -> HTTPResponse? in
            guard let index = entries.inForce(at: instant) else { return nil }
            return .momentary { json in
                json.raw("entry", entries[index])
                if !isSnapshot, index + 1 < entries.count { json.raw("next", entries[index + 1]) }
            }
        }
        guard let response else {
            throw Problem(
                404, "not-found", "There is nothing here.", detail: "The timeline begins after \(instant.rfc3339).")
        }
        return response
    }
}

/// The part of a timeline that a client loads.
private struct EntryWindow {
    private let around: String?
    private let offset: Int
    private let count: Int
    private let ahead: Int

    /// - Throws: 400 for parameters that are not allowed, or not together.
    init(_ query: QueryParameters, _ settings: GatewaySettings) throws(Problem) {
        around = try query.text("around")
        if around != nil, query.has("offset") || query.has("limit") {
            throw .invalidParameter("around", "cannot be given together with offset or limit")
        }
        offset = Int(clamping: try query.integer("offset", in: 0...Int64.max) ?? 0)
        count = around == nil ? try query.limit() : max(1, settings.positions.scrollBufferSize)
        ahead = max(0, settings.positions.renderAheadCount)
    }

    /// - Returns: `nil` if the entry to show is not there.
    func response(of entries: TimelineEntries) -> HTTPResponse? {
        var position: Int?
        var first = min(offset, entries.count)
        if let around {
            guard let index = entries.index(of: around) else { return nil }
            position = index
            // The entry in the middle, with at least `ahead` after it, and no room left free while there are entries.
            let after = max(ahead, (count - 1) / 2)
            let end = min(entries.count, index + 1 + after)
            first = max(0, min(index, end - max(count, 1)))
        }
        let size = around == nil ? count : max(count, 1 + ahead)
        let last = min(entries.count, first + size)
        return .json { json in
            json.beginObject()
            json.array("items", Array(first..<last)) { json, index in json.raw(entries[index]) }
            json.integer("first", first)
            json.integer("total", entries.count)
            json.integer("position", position)
            json.endObject()
        }
    }
}

extension StoredTimeline {
    func entries<Result>(_ body: (TimelineEntries) -> Result) -> Result {
        withJSON { body(TimelineEntries($0)) }
    }
}

extension HTTPResponse {
    /// An answer that is true at this moment only: one object, the members of which `write` writes.
    fileprivate static func momentary(_ write: (inout JSONWriter) -> Void) -> HTTPResponse {
        .json(headers: [HTTPField("Cache-Control", "no-store")]) { json in
            json.beginObject()
            write(&json)
            json.endObject()
        }
    }
}
