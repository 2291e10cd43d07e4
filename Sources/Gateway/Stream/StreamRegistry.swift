import HTTPServer
import Messages
import RecordLog
import Timelines

/// A stream with what it carries.
struct Subscription: Sendable {
    let stream: HeldStream
    let filter: StreamFilter
}

/// The subscriptions with an index, so that a change meets those alone that may want it. A value: `EventStreams` guards
/// it.
struct StreamRegistry: Sendable {
    private var subscriptions: [Int: Subscription] = [:]
    /// The streams that are about to be added.
    private var reserved: Set<Int> = []
    private var nextNumber = 0
    private var byConfiguration: [TextKey: Set<Int>] = [:]
    private var byRecipient: [TextKey: Set<Int>] = [:]
    private var byReader: [TextKey: Set<Int>] = [:]
    private var others: Set<Int> = []

    var count: Int { subscriptions.count }
    var hasSubscriptions: Bool { !subscriptions.isEmpty }
    var streams: [HeldStream] { subscriptions.values.map(\.stream) }

    func streams(of type: StreamFilter.EventType) -> [HeldStream] {
        subscriptions.values.filter { $0.filter.types.contains(type) }.map(\.stream)
    }

    // MARK: - Streams

    /// - Returns: the number of a stream to add; `nil` if there are as many as may be.
    mutating func reserve(maximum: Int) -> Int? {
        guard subscriptions.count + reserved.count < maximum else { return nil }
        nextNumber += 1
        reserved.insert(nextNumber)
        return nextNumber
    }

    mutating func add(_ subscription: Subscription, _ number: Int) {
        // A stream that has ended meanwhile is not reserved any more.
        guard reserved.remove(number) != nil else { return }
        subscriptions[number] = subscription
        list(subscription.filter, number) { $0.insert(number) }
    }

    mutating func remove(_ number: Int) {
        reserved.remove(number)
        guard let subscription = subscriptions.removeValue(forKey: number) else { return }
        list(subscription.filter, number) { $0.remove(number) }
    }

    private mutating func list(_ filter: StreamFilter, _ number: Int, _ update: (inout Set<Int>) -> Void) {
        func change(_ index: inout [TextKey: Set<Int>], at name: String) {
            let key = TextKey(name)
            update(&index[key, default: []])
            if index[key]?.isEmpty == true { index[key] = nil }
        }
        if let id = filter.configurationId {
            change(&byConfiguration, at: id)
        } else if let recipient = filter.recipient {
            change(&byRecipient, at: recipient)
        } else if let reader = filter.readerId, filter.types == [.positions] {
            change(&byReader, at: reader)
        } else {
            update(&others)
        }
    }

    private func candidates(
        configurationIds: [String], recipients: [String], reader: String? = nil
    ) -> [Subscription] {
        var numbers = others
        for id in configurationIds { byConfiguration[TextKey(id)].map { numbers.formUnion($0) } }
        for recipient in recipients { byRecipient[TextKey(recipient)].map { numbers.formUnion($0) } }
        if let reader { byReader[TextKey(reader)].map { numbers.formUnion($0) } }
        return numbers.compactMap { subscriptions[$0] }
    }

    // MARK: - Changes

    /// The events that a change makes, each with the streams that get it.
    func deliveries(
        of change: ViewChange, _ views: TopicViews
    ) -> [EventStreams.Delivery] {
        func delivery(
            _ candidates: [Subscription], where isWanted: (StreamFilter) -> Bool,
            _ bytes: (String) -> SharedBytes
        ) -> [EventStreams.Delivery] {
            let wanted = candidates.filter { isWanted($0.filter) }
            guard !wanted.isEmpty else { return [] }
            return [.init(bytes: bytes(views.positions.text), streams: wanted.map(\.stream))]
        }
        switch change {
        case .timeline(let new, let before):
            let recipients = [new.recipient] + (before.map { [$0.recipient] } ?? [])
            let all = candidates(configurationIds: [new.configurationId], recipients: recipients)
            let isWanted = { (filter: StreamFilter) in
                filter.wantsTimeline(new.configurationId, recipient: new.recipient, kind: new.kind)
            }
            let put = delivery(all, where: isWanted) { ServerSentEvent.timeline(new, id: $0) }
            guard let before, before.recipient != new.recipient || before.kind != new.kind else { return put }
            return put
                + delivery(
                    all,
                    where: { filter in
                        filter.wantsTimeline(new.configurationId, recipient: before.recipient, kind: before.kind)
                            && !isWanted(filter)
                    },
                    {
                        ServerSentEvent.timelineGone(
                            new.configurationId, kind: before.kind, recipient: before.recipient, eventId: $0)
                    })
        case .timelineDeleted(let gone):
            let all = candidates(configurationIds: [gone.configurationId], recipients: [gone.recipient])
            return delivery(
                all,
                where: { $0.wantsTimeline(gone.configurationId, recipient: gone.recipient, kind: gone.kind) },
                {
                    ServerSentEvent.timelineGone(
                        gone.configurationId, kind: gone.kind, recipient: gone.recipient, eventId: $0)
                })
        case .reload(let reload):
            let all = candidates(configurationIds: reload.configurationIds, recipients: [reload.recipient])
            return delivery(all, where: { $0.wants(reload) }) { ServerSentEvent.reload(reload, id: $0) }
        case .positions(let key, let merged):
            let owner = views.owner(of: key.configurationId)
            let all = candidates(
                configurationIds: [key.configurationId], recipients: owner.map { [$0.recipient] } ?? [],
                reader: key.readerId)
            return delivery(
                all,
                where: {
                    $0.wantsPosition(
                        of: key.readerId, in: key.configurationId, recipient: owner?.recipient, kind: owner?.kind)
                },
                { ServerSentEvent.position(key, merged, id: $0) })
        case .configuration, .devicePositions: return []
        }
    }
}
