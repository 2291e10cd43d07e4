package import RecordLog

/// What the records of a topic are to a sink that keeps them.
package enum SinkContent: Hashable, Sendable {
    /// States: of those of a configuration that are read together the last one is written.
    case timelines
    /// Events: each is written.
    case reloads

    /// What a record's key is the text of.
    var keyName: String { self == .timelines ? "configurationId" : "recipient" }
    /// What a record is to whoever is told of it; its key follows.
    var title: String { self == .timelines ? "configuration" : "reload of recipient" }
}

/// How a run writes timelines, or reloads.
package struct SinkSettings: Hashable, Sendable {
    package var reading: SinkReading
    package var content = SinkContent.timelines
    /// Which timelines it takes of those that name it or no sink; `nil` means all.
    package var choice: SinkChoice?
    /// True removes in the end, once all of the topic was read from its beginning, what the target holds of
    /// configurations that the topic does not have, if somebody agrees to it then. No record of the topic removes
    /// anything before that. It is for runs that end when they have caught up.
    package var removesAbsent = false
    /// Takes what the target cannot take; `nil` leaves that out.
    package var deadLettersTopic: String?
    /// The delay before the second attempt while the sink is unavailable; it doubles up to `retryDelayMax`.
    package var retryDelay = Duration.milliseconds(250)
    package var retryDelayMax = Duration.seconds(15)

    package init(topic: String, of content: SinkContent = .timelines) {
        reading = SinkReading(topic: topic, clientId: "tideline-sink")
        self.content = content
    }
}

/// The counts of records of a run that keeps them, by what was done with them.
package struct SinkSummary: Hashable, Sendable, SinkRunSummary {
    package var records = 0
    /// Left out because a later record of the same configuration was read with them.
    package var superseded = 0
    package var written = 0
    /// The highest revision of a timeline that was written; `nil` before the first, and of reloads.
    package var revision: Int64?
    package var removed = 0
    package var unchanged = 0
    /// Set aside because they cannot be written, as dead letters if there is a topic of them; a notice names each.
    package var unusable = 0
    package var startedOver = 0
    package var elapsed = Duration.zero
    package var wasStopped = false

    package init() {}

    /// Records per second since the start.
    package var rate: Double {
        elapsed > .zero ? Double(records) / (elapsed / .seconds(1)) : 0
    }
}

/// A notice for an operator; the run goes on.
package enum SinkNotice: Hashable, Sendable, SinkRunNotice, CustomStringConvertible {
    /// The sink is unavailable; the same is tried again after the delay.
    case holding(SinkError, retryIn: Duration)
    /// The sink is available again, and everything goes on that waited for it.
    case resumed(after: Duration)
    case unusable(TopicPartition, Offset, reason: String)
    /// The target refuses to remove what the topic does not have; it stays.
    case unremoved(configurationId: String, reason: String)
    /// The target was set back or emptied; everything since its positions is read and written again.
    case setBack(SinkFault)
    case log(LogError)
    case awaiting(LogError)
    case brokersBack(after: Duration)
    case newPartitions(topic: String, total: Int32)
    case startedOver(TopicPartition, Offset, because: TopicReader.Restart)

    package var description: String {
        switch self {
        case .holding(let error, let delay): "\(error); trying again in \(delay)"
        case .resumed(let time): "available again after \(time)"
        case .unusable(let place, let offset, let reason): "record \(offset) of \(place) cannot be written: \(reason)"
        case .unremoved(let id, let reason):
            "cannot remove \(id.replacing("\u{0}", with: "\\u0000")): \(reason)"
        case .setBack(let fault): "\(fault); going on from the positions that it has"
        case .log(let error): error.description
        case .awaiting(let error): Self.text(awaiting: error)
        case .brokersBack(let time): Self.text(brokersBackAfter: time)
        case .newPartitions(let topic, let total): Self.text(newPartitionsOf: topic, total: total)
        case .startedOver(let place, let offset, let reason):
            Self.text(startedOver: place, offset, because: reason)
        }
    }
}

/// Why a run that keeps records ended early.
package enum SinkRunError: Hashable, Sendable, SinkRunFailure, CustomStringConvertible {
    case sink(SinkError)
    case log(LogError)
    case otherCluster(kept: String, present: String)

    package var description: String {
        switch self {
        case .sink(let error): error.description
        case .otherCluster(let kept, let present): Self.text(keptIn: kept, present: present)
        case .log(let error): error.description
        }
    }

    package var isFinal: Bool {
        switch self {
        case .sink(.replaced), .otherCluster: true
        case .sink: isOfSettings
        case .log: false
        }
    }

    /// True if nothing but another setting mends it.
    package var isOfSettings: Bool {
        if case .sink(let error) = self { error.isOfSettings } else { false }
    }
}
