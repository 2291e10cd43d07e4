package import RecordLog
import Messages

/// A place that holds the newest timeline of each configuration, or, of reloads, each record. One thread owns it.
///
/// Every sink of timelines that keeps what it writes passes the same contract suite (`TimelineSinkContract` in the
/// tests): a timeline replaces the one before it; a tombstone, and a timeline that is not meant for this sink, remove
/// it; the same record again changes nothing; an older timeline never replaces a newer one. So writing a record twice
/// is harmless.
package protocol TimelineSink: AnyObject {
    /// The name by which a configuration's `sinks` choose it.
    var name: String { get }

    /// True if positions are kept in one transaction with what was written since the ones before, so that each record
    /// is written exactly once. Else they are kept after it: at least once, and what is written twice changes nothing.
    var isTransactional: Bool { get }

    /// Called once, before anything else. A sink that takes long for something calls `turned` now and then, so that
    /// others see that it goes on.
    func tell(_ turned: @escaping () -> Void)

    /// Returns what the last `keep` kept for this topic, by partition; empty at the beginning.
    func positions(of topic: String) throws(SinkError) -> [Partition: SinkPosition]

    /// Called before records are written, with all of them: a sink may ask its target once for what it needs to know.
    /// Where some are `unusable` it is called with all that may take their place, in the order of the topic, of which
    /// not all are written.
    func prepare(_ records: [SinkRecord]) throws(SinkError)

    /// Applies one record. Called in the order of each partition's offsets. What takes the place of an `unusable` one
    /// follows behind all of its batch: the timeline before it of the same configuration.
    func write(_ record: SinkRecord) throws(SinkError) -> SinkOutcome

    /// Makes everything that was written durable. A transactional sink does so in `keep` alone.
    func flush() throws(SinkError)

    /// Forgets what was written since the last `keep`. Only asked of a transactional sink.
    func rollBack()

    /// Keeps positions durably, in place of those that were kept before for this topic. From here on readers see what
    /// was written before.
    func keep(_ positions: [Partition: SinkPosition], of topic: String) throws(SinkError)

    /// Returns the ids of the configurations whose timelines the target holds, each once; `nil` if it cannot be asked.
    /// Called when all that was written is kept.
    ///
    /// - Parameter goesOn: asked now and then where that takes long; false ends it early, with a part of them.
    func configurations(while goesOn: () -> Bool) throws(SinkError) -> [String]?

    /// Called in each round in which nothing is written, several times a second. A sink that holds a lock renews it
    /// here, and says if its target has gone or was set back.
    func renew() throws(SinkError)

    /// Gives up what it holds of its target. Called once, at the end.
    func close()
}

extension TimelineSink {
    package var isTransactional: Bool { false }
    package func tell(_ turned: @escaping () -> Void) {}
    package func rollBack() { preconditionFailure("\(name) keeps what it has written") }
    package func prepare(_ records: [SinkRecord]) throws(SinkError) {}
    package func configurations(while goesOn: () -> Bool) throws(SinkError) -> [String]? { nil }
    /// All of them, however long that takes.
    package func configurations() throws(SinkError) -> [String]? { try configurations(while: { true }) }
    package func renew() throws(SinkError) {}
    package func close() {}
}

/// The outcome of writing one record.
package enum SinkOutcome: Hashable, Sendable {
    case written
    case removed
    /// The sink holds the same or a newer timeline already, or there is nothing to remove.
    case unchanged
}

/// A committed record of the topic `timelines`, or of reloads, for sinks.
package struct SinkRecord: Hashable, Sendable {
    /// The record's key, in UTF-8: of a reload it is the recipient.
    package var configurationId: String
    /// `nil` is a tombstone.
    package var value: [UInt8]?
    package var headers: [Header]
    package var origin: TopicPartition
    package var offset: Offset

    package init(
        configurationId: String, value: [UInt8]?, headers: [Header] = [], origin: TopicPartition, offset: Offset
    ) {
        self.configurationId = configurationId
        self.value = value
        self.headers = headers
        self.origin = origin
        self.offset = offset
    }

    /// Returns the timeline that a sink of this name is to hold. It is to hold none (`nil`) after a tombstone, and if
    /// the configuration's `sinks` name others (header `ce_sinks`; without the header all sinks are meant).
    package func timeline(for sink: String) -> [UInt8]? {
        guard let sinks else { return value }
        return sinks.contains(sink) ? value : nil
    }

    /// The names of the sinks that are meant; `nil` means all.
    var sinks: [String]? {
        CloudEventHeaders.sinks(in: headers.lazy.map { MessageHeader(name: $0.name, value: $0.value) })
    }
}

/// Why a sink could not do what it was asked, which is what to do next.
package enum SinkError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not now: hold the position and ask again with the same record (the disk is full, the server is away).
    case unavailable(SinkFault)
    /// Not before somebody changes something: permissions, a directory that is none.
    case refused(SinkFault)
    /// Never again: another sink has taken this one's place, and goes on. To begin again would end that one.
    case replaced(SinkFault)
    /// The record itself cannot be written: tell, and go on with the next.
    case unusable(BadRecord)
    /// The target refuses one record of those that were to be kept, and none of them is there. Ask again at once with
    /// the same records: the one is `unusable` then, with what the target says of it. Only of a transactional sink.
    case recordRefused(SinkFault)
    /// The target holds other positions than were kept: it was set back, or emptied. Ask it for its positions again,
    /// and go on from them. Only of a transactional sink: what it holds is as old as they are.
    case setBack(SinkFault)

    package var description: String {
        switch self {
        case .unavailable(let fault), .refused(let fault), .replaced(let fault), .recordRefused(let fault),
            .setBack(let fault):
            fault.description
        case .unusable(let bad): bad.description
        }
    }

    package var isRetriable: Bool {
        if case .unavailable = self { true } else { false }
    }

    /// What is waited for, if it is the brokers of the topic that is read and not the target.
    var ofBrokers: LogError? {
        if case .unavailable(let fault) = self { fault.brokers } else { nil }
    }

    /// True if nothing but another setting mends it.
    package var isOfSettings: Bool {
        if case .refused(let fault) = self { fault.isOfSettings } else { false }
    }

    /// True if the name of the target's host cannot be found.
    package var isUnknownHost: Bool {
        if case .unavailable(let fault) = self { fault.isUnknownHost } else { false }
    }
}

/// The operation that failed, with its place and reason.
package struct SinkFault: Hashable, Sendable, CustomStringConvertible {
    /// The path or address.
    package var place: String
    package var operation: String
    package var reason: String
    /// True if the name of the target's host cannot be found: it is misspelt, or whoever knows names is away, or does
    /// not know it yet.
    package var isUnknownHost = false
    /// True if a setting names what it must not name: nothing but another setting mends it.
    package var isOfSettings = false
    /// What the brokers of the topic that is read answer, where they are waited for; `nil` where the target is.
    package var brokers: LogError?

    package init(place: String, operation: String, reason: String, isUnknownHost: Bool = false) {
        self.place = place
        self.operation = operation
        self.reason = reason
        self.isUnknownHost = isUnknownHost
    }

    package var description: String {
        "cannot \(operation) \(place): " + (isUnknownHost ? UnknownHost.text(reason) : reason)
    }
}

/// The words for a host whose name cannot be found, which are others than those for a host that does not answer.
enum UnknownHost {
    static func text(_ reason: String) -> String {
        "the name of the host cannot be found (\(reason)): see whether the address is spelt right, and DNS answers"
    }
}
