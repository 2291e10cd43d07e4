package import Access
package import Messages
package import Positions
package import RecordLog
package import Timelines

/// Everything that a handler may use. It is made once, by the composition root; all threads share it.
package struct GatewayContext: Sendable {
    /// The topics in memory.
    package let views: TopicViews
    /// The streams of server-sent events that are open.
    package let streams: EventStreams
    /// The requests that wait for something to be committed.
    package let waiters: ViewWaiters
    package let writer: any RecordWriter
    /// Makes the records that ask the pipeline for reloads; `nil` means that it cannot be asked.
    package let reloads: (any ReloadRequests)?
    package let authenticator: Authenticator
    package let settings: GatewaySettings
    package let clock: any GatewayClock
    package let health = GatewayHealth()

    package init(
        writer: any RecordWriter, reloads: (any ReloadRequests)? = nil, authenticator: Authenticator,
        settings: GatewaySettings, clock: any GatewayClock
    ) {
        views = TopicViews(settings)
        streams = EventStreams(settings)
        waiters = ViewWaiters()
        self.writer = writer
        self.reloads = reloads
        self.authenticator = authenticator
        self.settings = settings
        self.clock = clock
    }
}

/// The clocks of the gateway. Any thread may read them.
package protocol GatewayClock: Sendable {
    /// The time of day.
    var wall: Instant { get }
    /// A clock that only goes forward, from any zero.
    var now: Duration { get }
}

/// The settings of the gateway, those of `serve.*` among them.
package struct GatewaySettings: Sendable {
    package var topics: TopicNames
    /// The consumer group of the pipeline, whose positions tell how far it has read.
    package var application: String
    package var kinds: WidgetKinds
    package var positions: PositionSettings
    /// The most bytes of a value that the pipeline reads; larger ones are refused.
    package var recordBytesMax = Int.max
    /// The origins that browsers may read from (CORS); none by default.
    package var allowedOrigins: [String] = []
    /// How often an idle stream gets a comment, so that proxies keep it open.
    package var heartbeat = Duration.seconds(15)
    /// How long `?wait=true` waits at most.
    package var waitMaximum = Duration.seconds(10)
    /// How long a request still waits for a timeline once the pipeline has read what it wrote: content that stays the
    /// same makes none.
    package var settle = Duration.seconds(1)
    /// While the pipeline has so many records or more to read, such a request waits for a timeline until its time is
    /// over: as many as make a stream thread leave timelines for later.
    package var farBehindRecords: Int64 = 50_000
    /// The number of streams that may be open at once.
    package var streamsMaximum = 20_000
    /// The bytes that wait for a slow client before its stream is closed.
    package var streamBuffer = 256 * 1024
    /// The reloads that are remembered: at most so many, and none older than `reloadsAge`.
    package var reloadsMaximum = 100_000
    package var reloadsAge = ElapsedTime.hours(24)
    /// How short memory is: a stream that opens while it is short may have a quarter of `streamBuffer` waiting.
    package var memory: any MemoryState = AmpleMemory()

    package init(
        topics: TopicNames, application: String, kinds: WidgetKinds = WidgetKinds(),
        positions: PositionSettings = PositionSettings()
    ) {
        self.topics = topics
        self.application = application
        self.kinds = kinds
        self.positions = positions
    }

    /// The bytes that may wait for the client of a stream that opens now.
    var streamBufferNow: Int { memory.isShort ? max(streamBuffer / 4, 1024) : streamBuffer }
}
