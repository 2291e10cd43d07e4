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
/// Of timelines and positions it is the state of now of all that changed; of reloads, each one. What is not known any
/// more makes a `gap`, and so does a position that this server has not reached: its topic may have been made anew.
struct MissedEvents {
    let bytes: SharedBytes

    /// The most events; for more the client asks for the state itself.
    private static let maximum = 10_000

    init(_ filter: StreamFilter, after position: OffsetVector?, _ views: TopicViews) {
        let now = views.positions
        guard let position else {
            bytes = ServerSentEvent.opening(id: now.text)
            return
        }
        // A client that loses the connection among them comes back with its old position and misses nothing.
        let id = position.text
        var events: [SharedBytes] = []
        var gaps: [StreamFilter.EventType] = []
        for type in StreamFilter.EventType.allCases where filter.types.contains(type) {
            let missed = Self.missed(type, filter, since: position, views, id: id)
            let isReached = zip(position[type.topic], now[type.topic]).allSatisfy { $0 <= $1 }
            if !isReached || !missed.isComplete || events.count + missed.events.count > Self.maximum {
                gaps.append(type)
            } else {
                events += missed.events
            }
        }
        if !gaps.isEmpty { events.insert(ServerSentEvent.gap(gaps, id: id), at: 0) }
        var all: [UInt8] = []
        for event in events { event.withBytes { all += $0 } }
        ServerSentEvent.opening(id: now.text).withBytes { all += $0 }
        bytes = SharedBytes(all)
    }

    private static func missed(
        _ type: StreamFilter.EventType, _ filter: StreamFilter, since position: OffsetVector, _ views: TopicViews,
        id: String
    ) -> (events: [SharedBytes], isComplete: Bool) {
        switch type {
        case .timelines:
            // A position without the topic begins now.
            guard position.offsets[.timelines] != nil else { return ([], true) }
            let (put, deleted, isComplete) = views.withState {
                $0.timelines.changes(since: position.positions(of: .timelines))
            }
            let gone = deleted.filter {
                filter.wantsTimeline($0.configurationId, recipient: $0.recipient, kind: $0.kind)
            }
            let wanted = put.filter { filter.wantsTimeline($0.configurationId, recipient: $0.recipient, kind: $0.kind) }
            guard gone.count + wanted.count <= maximum else { return ([], false) }
            return (
                gone.map {
                    ServerSentEvent.timelineGone(
                        $0.configurationId, kind: $0.kind, recipient: $0.recipient, eventId: id)
                } + wanted.map { ServerSentEvent.timeline($0, id: id) }, isComplete
            )
        case .reloads:
            guard position.offsets[.reloads] != nil else { return ([], true) }
            let page = views.reloads(
                from: .offsets(position.positions(of: .reloads)), recipient: filter.recipient,
                recipients: filter.recipients, limit: maximum)
            let events = page.reloads.filter { filter.wants($0) }.map { ServerSentEvent.reload($0, id: id) }
            return (events, page.isComplete && !page.hasMore)
        case .positions:
            guard position.offsets[.merged] != nil else { return ([], true) }
            let (changes, isComplete) = views.withState {
                $0.positions.changes(since: position.positions(of: .merged))
            }
            let wanted = changes.filter { change in
                let owner = views.owner(of: change.key.configurationId)
                return filter.wantsPosition(
                    of: change.key.readerId, in: change.key.configurationId, recipient: owner?.recipient,
                    kind: owner?.kind)
            }
            return (wanted.map { ServerSentEvent.position($0.key, $0.merged, id: id) }, isComplete)
        }
    }
}
