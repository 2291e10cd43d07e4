package import HTTPServer
package import Messages
package import RecordLog
import Synchronization

/// The open streams of server-sent events.
///
/// One thread publishes changes, any thread opens streams. A change is applied to the views and matched with the
/// streams under one lock, so a stream that opens meanwhile gets it once: in what it missed, or as an event.
package final class EventStreams: Sendable {
    private let registry = Mutex(StreamRegistry())
    private let settings: GatewaySettings
    private let tooSlow = Atomic<Int>(0)
    private let opened = Atomic<Int>(0)
    private let sent = Atomic<Int>(0)
    private let heartbeatAt = Mutex<Duration>(.zero)

    package init(_ settings: GatewaySettings) {
        self.settings = settings
    }

    package var counts: StreamCounts {
        StreamCounts(
            open: registry.withLock { $0.count }, opened: opened.load(ordering: .relaxed),
            tooSlow: tooSlow.load(ordering: .relaxed), events: sent.load(ordering: .relaxed))
    }

    // MARK: - Opening

    /// Opens a stream. It begins behind the position of the client, with what changed since; without a position, now.
    ///
    /// - Parameter lifetime: what is left of the caller's token; the stream ends with it.
    /// - Throws: 503 if there are as many streams as may be.
    package func open(
        _ filter: StreamFilter, after position: OffsetVector?, lifetime: Duration? = nil, _ views: TopicViews
    ) throws(Problem) -> EventStream {
        let number = registry.withLock { $0.reserve(maximum: settings.streamsMaximum) }
        guard let number else {
            throw Problem(
                503, "too-many-streams", "As many streams are open as may be.",
                detail: "serve.limits.streams is \(settings.streamsMaximum).", headers: [HTTPField("Retry-After", "10")]
            )
        }
        let buffer = settings.streamBufferNow
        let stream = EventStream(bufferLimit: buffer, lifetime: lifetime) { [weak self] ending in
            self?.closed(number, ending)
        }
        let held = HeldStream(stream, maximum: buffer)
        // From here on it gets events; what it missed until then is looked for without the lock.
        let begin = registry.withLock { registry in
            registry.add(Subscription(stream: held, filter: filter), number)
            return views.positions
        }
        let missed = MissedEvents(
            filter, after: position, to: begin, views, maximum: buffer / 2)
        held.release(after: missed.bytes)
        sent.add(missed.count, ordering: .relaxed)
        opened.add(1, ordering: .relaxed)
        return stream
    }

    private func closed(_ number: Int, _ ending: EventStream.Ending) {
        if ending == .tooSlow { tooSlow.add(1, ordering: .relaxed) }
        registry.withLock { $0.remove(number) }
    }

    // MARK: - Publishing

    /// Applies a record to the views and sends the change to the streams that want it. The views' thread alone calls
    /// this.
    package func publish(
        _ record: RecordView, of topic: ViewedTopic, to views: TopicViews, now: Instant
    ) throws(MessageProblem) -> ViewChange? {
        var deliveries: [Delivery] = []
        let change = try registry.withLock { (registry) throws(MessageProblem) -> ViewChange? in
            let change = try views.apply(record, of: topic, now: now)
            if let change, registry.hasSubscriptions {
                deliveries = registry.deliveries(of: change, views)
            }
            return change
        }
        // Sending takes the locks of connections, so it is done without this one. No other thread sends events.
        for delivery in deliveries {
            for stream in delivery.streams { stream.send(delivery.bytes) }
            sent.add(delivery.streams.count, ordering: .relaxed)
        }
        return change
    }

    /// Sends a comment to every stream when it is time. The views' thread alone calls this, so that the position in it
    /// is behind all events that were sent.
    package func sendHeartbeats(_ views: TopicViews, now: Duration) {
        let isDue = heartbeatAt.withLock { due in
            guard now >= due else { return false }
            due = now + settings.heartbeat
            return true
        }
        guard isDue else { return }
        let (streams, bytes) = registry.withLock { registry in
            (registry.streams, ServerSentEvent.heartbeat(id: views.positions.text))
        }
        for stream in streams { stream.send(bytes) }
    }

    /// Tells every stream that events of a topic may be missing: it was made anew.
    package func sendGap(_ type: StreamFilter.EventType, _ views: TopicViews) {
        let (streams, bytes) = registry.withLock { registry in
            (registry.streams(of: type), ServerSentEvent.gap([type], id: views.positions.text))
        }
        for stream in streams { stream.send(bytes) }
    }

    struct Delivery {
        var bytes: SharedBytes
        var streams: [HeldStream]
    }
}

/// The streams so far.
package struct StreamCounts: Hashable, Sendable {
    package var open: Int
    package var opened: Int
    /// Streams that were closed because their clients took too few bytes.
    package var tooSlow: Int
    /// Events that were sent, each once for each stream.
    package var events: Int
}
