import Agendas
import Messages
package import RecordLog

/// The events of some calendars that a topic holds: the last record of each key.
package struct PublishedEvents {
    /// A record that is no tombstone.
    struct Event {
        var key: EventKey
        var value: [UInt8]
    }

    private struct Latest {
        var event: Event?
        var partition: Partition
        var timestamp: Instant
    }

    private let calendars: Set<[UInt8]>
    private var latest: [[UInt8]: Latest] = [:]

    init(calendars: Set<[UInt8]>) {
        self.calendars = calendars
    }

    /// The value of a key, byte by byte as it lies there.
    subscript(key: [UInt8]) -> Event? { latest[key]?.event }

    /// All events, ascending by the bytes of their keys.
    var events: [(key: [UInt8], event: Event)] {
        latest.compactMap { key, latest in latest.event.map { (key, $0) } }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }

    /// Takes a record; within a partition the later one counts, between partitions the younger. Records of other
    /// calendars and with keys that name no event are passed over.
    mutating func apply(_ view: RecordView) {
        guard let bytes = view.key, let key = try? EventKey.decode(bytes),
            calendars.contains(Array(key.calendarId.utf8))
        else { return }
        let name = Array(bytes)
        if let known = latest[name], known.partition != view.partition, known.timestamp > view.timestamp { return }
        latest[name] = Latest(
            event: view.value.map { Event(key: key, value: Array($0)) }, partition: view.partition,
            timestamp: view.timestamp)
    }
}

extension PublishedEvents {
    /// Reads a topic from its beginning up to the end that it has now, committed records only. Blocks.
    ///
    /// - Parameters:
    ///   - calendars: the ids, as UTF-8, of the calendars to keep.
    ///   - shouldStop: asked after every batch.
    ///   - progress: told after every batch how many records were read, and of how many.
    /// - Returns: the events; `nil` if the caller asked to stop first.
    /// - Throws: as `TopicReader.readAll`.
    package static func read(
        topic: String, calendars: Set<[UInt8]>, of cluster: any Cluster, clock: any PacingClock,
        patience: Duration = .seconds(60), shouldStop: @escaping () -> Bool = { false },
        progress: (_ records: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(LogError) -> PublishedEvents? {
        var published = PublishedEvents(calendars: calendars)
        let isRead = try TopicReader.readAll(
            of: topic, cluster: cluster, clientId: "tideline-produce",
            requests: PatientRequests(clock: clock, shouldStop: shouldStop), patience: patience, progress: progress,
            each: { view, _ in published.apply(view) })
        return isRead ? published : nil
    }
}
