import Foundation
import Messages
package import RecordLog

/// How a sink is, as it tells itself in the topic of statuses: a record for each sink, under its name and target.
package struct SinkStatus: Hashable, Sendable {
    package enum State: String, CaseIterable, Codable, Sendable {
        case running
        /// The target, or the brokers, are waited for.
        case waiting
        /// It was told to end, or has caught up.
        case stopped
        /// It cannot go on. Beside other sinks of its process it begins again after a while.
        case failed
    }

    /// The last record that was written or removed.
    package struct Written: Hashable, Sendable, Codable {
        package var configurationId: String
        /// `nil` after a tombstone.
        package var revision: Int64?

        package init(configurationId: String, revision: Int64?) {
            self.configurationId = configurationId
            self.revision = revision
        }

        init(_ record: SinkRecord) {
            configurationId = record.configurationId
            revision = record.revision
        }
    }

    package struct Position: Hashable, Sendable, Codable {
        package var partition: Int32
        /// All below it is written.
        package var next: Int64
    }

    package var name: String
    /// Credentials are masked.
    package var target: String
    package var topic: String
    package var state: State
    /// Since when it is in that state.
    package var since: Instant
    package var written: Written?
    /// Ascending by partition.
    package var positions: [Position] = []
    /// The number of records that were read and are not written, sent or set aside.
    package var waiting = 0
    /// Records a second since the status before.
    package var rate = 0.0
    package var lastError: String?
    package var lastErrorAt: Instant?
    /// When this was told.
    package var at: Instant

    package init(name: String, target: String, topic: String, at: Instant) {
        self.name = name
        self.target = target
        self.topic = topic
        state = .running
        since = at
        self.at = at
    }

    package mutating func note(_ positions: [Partition: SinkPosition]) {
        self.positions = positions.sorted { $0.key < $1.key }
            .map { Position(partition: $0.key.rawValue, next: $0.value.next.rawValue) }
    }

    /// The key of its record.
    package var key: String { "\(name)/\(target)" }

    /// The offsets below these ends that are not written. What the topic has no more, nobody can write.
    ///
    /// - Parameter lows: the beginnings of the partitions; one that is not there counts as 0.
    package func lag(from lows: [Partition: Offset], to ends: [Partition: Offset]) -> Int64 {
        let known = Dictionary(positions.map { (Partition($0.partition), $0.next) }, uniquingKeysWith: { $1 })
        return ends.reduce(0) { sum, place in
            let low = lows[place.key]?.rawValue ?? 0
            return sum + max(0, place.value.rawValue - max(known[place.key] ?? low, low))
        }
    }
}

extension SinkRecord {
    /// The revision of its timeline, which is the last but one part of the event's id; `nil` of a tombstone.
    var revision: Int64? {
        guard value != nil, let id = headers.first(where: { $0.name == "ce_id" })?.value else { return nil }
        let slash = UInt8(ascii: "/")
        guard let end = id.lastIndex(of: slash) else { return nil }
        let start = id[..<end].lastIndex(of: slash).map { $0 + 1 } ?? 0
        return Int64(String(decoding: id[start..<end], as: UTF8.self))
    }
}

extension SinkStatus {
    package var json: String {
        JSONWriter.object { json in
            json.string("name", name)
            json.string("target", target)
            json.string("topic", topic)
            json.string("state", state.rawValue)
            json.instant("since", since)
            if let written {
                json.key("written")
                json.beginObject()
                json.string("configurationId", written.configurationId)
                json.integer("revision", written.revision)
                json.endObject()
            }
            json.array("positions", positions) { json, position in
                json.beginObject()
                json.integer("partition", position.partition)
                json.integer("next", position.next)
                json.endObject()
            }
            json.integer("waiting", waiting)
            json.number("rate", (rate * 10).rounded() / 10)
            json.string("lastError", lastError)
            json.instant("lastErrorAt", lastErrorAt)
            json.instant("at", at)
        }
    }

    /// `nil` for a value that is none.
    package init?(json: [UInt8]) {
        guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(json)),
            let state = State(rawValue: stored.state), let since = Instant(rfc3339: stored.since),
            let at = Instant(rfc3339: stored.at)
        else { return nil }
        self.init(name: stored.name, target: stored.target, topic: stored.topic, at: at)
        self.state = state
        self.since = since
        written = stored.written
        positions = stored.positions
        waiting = stored.waiting ?? 0
        rate = stored.rate
        lastError = stored.lastError
        lastErrorAt = stored.lastErrorAt.flatMap { Instant(rfc3339: $0) }
    }

    private struct Stored: Decodable {
        var name: String
        var target: String
        var topic: String
        var state: String
        var since: String
        var written: Written?
        var positions: [Position]
        /// Absent from a release that did not tell it.
        var waiting: Int?
        var rate: Double
        var lastError: String?
        var lastErrorAt: String?
        var at: String
    }
}
