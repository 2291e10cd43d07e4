package import Agendas
import Messages

/// The records that make a topic hold what calendar files hold: records that are new or differ, in the order of the
/// files, then tombstones of events that are gone, by key.
package final class CalendarChanges: RecordSource {
    /// The change of a key, by the names that `--dry-run` prints.
    package enum Action: String, Sendable {
        case add, change, remove
    }

    /// One key and its change.
    package struct Change: Sendable {
        package var action: Action
        package var key: EventKey
        /// The records in the order in which they are sent, usually one. A version that consumers would take for older
        /// than the published one is preceded by a tombstone, with which they forget the published one.
        package var records: [SourceRecord]
    }

    /// The changes in the order in which they are published.
    package let changes: [Change]
    /// Events that lie in the topic as the files have them.
    package let unchanged: Int
    /// Events of these calendars that the files no longer have, and that stay.
    package let kept: Int
    package let skipped: [InputProblem]
    private var place = 0
    private var waiting: ArraySlice<SourceRecord> = []

    /// - Parameter prune: true if events that are gone are removed.
    package init(from published: PublishedEvents, to contents: CalendarContents, prune: Bool) {
        var changes: [Change] = []
        var unchanged = 0
        var parser = JSONParser()
        for record in contents.records {
            guard let key = try? record.key.withUnsafeBytes(EventKey.decode) else {
                preconditionFailure("an event's key can be read back")
            }
            guard let known = published[record.key] else {
                changes.append(Change(action: .add, key: key, records: [record]))
                continue
            }
            if known.value == record.value {
                unchanged += 1
                continue
            }
            let isOlder = Version(known.value, key, &parser).isNewer(than: Version(record.value ?? [], key, &parser))
            let tombstone = SourceRecord(key: record.key, value: nil)
            changes.append(Change(action: .change, key: key, records: isOlder ? [tombstone, record] : [record]))
        }
        let gone = published.events.filter { contents.isGone($0.event.key) }
        if prune {
            changes += gone.map { key, event in
                Change(action: .remove, key: event.key, records: [SourceRecord(key: key, value: nil)])
            }
        }
        self.changes = changes
        self.unchanged = unchanged
        kept = prune ? 0 : gone.count
        skipped = contents.leftOut
    }

    /// The number of new and changed events.
    package var sent: Int { changes.count { $0.action != .remove } }
    /// The number of removed events.
    package var removed: Int { changes.count { $0.action == .remove } }

    package var fractionDone: Double? {
        changes.isEmpty ? 1 : Double(place) / Double(changes.count)
    }

    package func next() throws(InputProblem) -> SourceRecord? {
        if waiting.isEmpty, place < changes.count {
            waiting = changes[place].records[...]
            place += 1
        }
        return waiting.popFirst()
    }
}

/// A version of an event. The one with the highest sequence counts, then the one with the newest `updatedAt`.
private struct Version {
    private var event: CalendarEvent?

    /// A value that cannot be read is no version at all.
    init(_ value: [UInt8], _ key: EventKey, _ parser: inout JSONParser) {
        event = try? value.withUnsafeBytes { try CalendarEventMessage.decode($0, of: key.calendarId, with: &parser) }
    }

    func isNewer(than other: Version) -> Bool {
        guard let event, let other = other.event else { return false }
        if event.sequence != other.sequence { return event.sequence > other.sequence }
        guard let updatedAt = event.updatedAt else { return false }
        return other.updatedAt.map { updatedAt > $0 } ?? true
    }
}
