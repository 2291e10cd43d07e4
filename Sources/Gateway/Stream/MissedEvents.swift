import Access
import HTTPServer
import Messages
import RecordLog
import Timelines

extension StreamFilter.EventType {
    /// The topic that the events come from.
    var topic: ViewedTopic {
        switch self {
        case .timelines: .timelines
        case .reloads: .reloads
        case .positions: .merged
        }
    }
}

/// What a client missed since its position, as the first bytes of its stream.
///
/// Timelines and positions that changed are there as they are now, reloads each for itself. What is not known any
/// more, or is more than a client may have waiting, makes a `gap`; so does a position that this server has not reached:
/// its topic may have been made anew.
struct MissedEvents {
    let bytes: SharedBytes
    private(set) var count = 0

    /// The most changes that are looked at for one stream: the views' lock is held meanwhile.
    private static let lookMaximum = 10_000

    /// - Parameters:
    ///   - begin: the position from which on the stream gets events.
    ///   - maximum: the most bytes.
    init(
        _ filter: StreamFilter, after position: OffsetVector?, to begin: OffsetVector, _ views: TopicViews,
        maximum: Int
    ) {
        guard let position else {
            bytes = ServerSentEvent.opening(id: begin.text)
            return
        }
        // A client that loses the connection among them comes back with its old position and misses nothing.
        let id = position.text
        var all: [UInt8] = []
        var gaps: [StreamFilter.EventType] = []
        for type in StreamFilter.EventType.allCases where filter.types.contains(type) {
            let isReached = zip(position[type.topic], begin[type.topic]).allSatisfy { $0 <= $1 }
            let room = maximum - all.count
            if isReached, let missed = Self.missed(type, filter, since: position, to: begin, views, id: id, room: room)
            {
                for event in missed { event.withBytes { all += $0 } }
                count += missed.count
            } else {
                gaps.append(type)
            }
        }
        if !gaps.isEmpty { ServerSentEvent.gap(gaps, id: id).withBytes { all.insert(contentsOf: $0, at: 0) } }
        ServerSentEvent.opening(id: begin.text).withBytes { all += $0 }
        bytes = SharedBytes(all)
    }

    /// - Returns: `nil` if not all are known, or they are more than there is room for.
    private static func missed(
        _ type: StreamFilter.EventType, _ filter: StreamFilter, since position: OffsetVector, to begin: OffsetVector,
        _ views: TopicViews, id: String, room: Int
    ) -> [SharedBytes]? {
        // A position without the topic begins now.
        guard position.offsets[type.topic] != nil else { return [] }
        let offsets = position.positions(of: type.topic)
        let ends = begin.positions(of: type.topic)
        // What came since the stream began is an event of its own.
        func isBefore(_ place: ViewPlace) -> Bool { ends[place.partition].map { place.offset < $0 } ?? false }
        var events = Room(room)
        switch type {
        case .timelines:
            let (put, deleted) = views.withState { state in
                (
                    state.timelines.changed(
                        since: offsets, configurationId: filter.configurationId, recipients: filter.namedRecipients,
                        limit: lookMaximum), state.timelines.deleted(since: offsets, limit: lookMaximum)
                )
            }
            guard let put, let deleted else { return nil }
            for gone in deleted
            where filter.wantsTimeline(gone.configurationId, recipient: gone.recipient, kind: gone.kind) {
                events.add(
                    ServerSentEvent.timelineGone(
                        gone.configurationId, kind: gone.kind, recipient: gone.recipient, eventId: id))
            }
            for timeline in put
            where isBefore(timeline.place)
                && filter.wantsTimeline(timeline.configurationId, recipient: timeline.recipient, kind: timeline.kind)
            {
                guard events.add(ServerSentEvent.timeline(timeline, id: id)) else { return nil }
            }
        case .reloads:
            let page = views.reloads(
                from: .offsets(offsets), recipient: filter.recipient, recipients: filter.recipients,
                limit: lookMaximum)
            guard page.isComplete, !page.hasMore else { return nil }
            for reload in page.reloads where isBefore(reload.place) && filter.wants(reload) {
                guard events.add(ServerSentEvent.reload(reload, id: id)) else { return nil }
            }
        case .positions:
            let (put, deleted) = views.withState { state in
                (
                    state.positions.changed(since: offsets, readers: filter.namedReaders, limit: lookMaximum),
                    state.positions.deleted(since: offsets, limit: lookMaximum)
                )
            }
            guard let put, let deleted else { return nil }
            for (key, merged) in deleted.map({ ($0, nil) })
                + put.filter({ isBefore($0.merged.place) }).map({ ($0.key, $0.merged) })
            {
                let owner = views.owner(of: key.configurationId)
                guard
                    filter.wantsPosition(
                        of: key.readerId, in: key.configurationId, recipient: owner?.recipient, kind: owner?.kind)
                else { continue }
                guard events.add(ServerSentEvent.position(key, merged, id: id)) else { return nil }
            }
        }
        return events.isExceeded ? nil : events.events
    }

    /// Events up to a number of bytes.
    private struct Room {
        private(set) var events: [SharedBytes] = []
        private(set) var isExceeded = false
        private var left: Int

        init(_ bytes: Int) { left = bytes }

        @discardableResult
        mutating func add(_ event: SharedBytes) -> Bool {
            left -= event.count
            isExceeded = isExceeded || left < 0
            if !isExceeded { events.append(event) }
            return !isExceeded
        }
    }
}

extension StreamFilter {
    /// The recipients of whom alone it may carry timelines; `nil` stands for any.
    fileprivate var namedRecipients: [String]? {
        if let recipient { return [recipient] }
        guard case .only(let allowed) = recipients else { return nil }
        return allowed.sorted { $0.precedesByUTF8($1) }
    }

    /// The readers of whom alone it may carry positions; `nil` stands for any.
    fileprivate var namedReaders: [String]? {
        if let readerId { return [readerId] }
        guard case .only(let allowed) = readers else { return nil }
        return allowed.sorted { $0.precedesByUTF8($1) }
    }
}
