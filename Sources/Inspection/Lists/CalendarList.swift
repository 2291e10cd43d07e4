internal import Agendas
internal import Messages
package import RecordLog
internal import Timelines

/// The calendars of which the topic of events holds records, and those that only configurations name.
package struct CalendarList: ~Copyable {
    package static let fields = [
        "calendarId", "events", "records", "unreadable", "newest", "configurations", "topic", "partition", "offset",
    ]

    /// What a list needs of a record: the events in it by calendar; `nil` means that it cannot be read.
    private struct Content {
        var calendarId: String
        var events: Int?
    }

    /// The records that cannot be read and whose calendar is not known either.
    package private(set) var unread = UnreadRecords()
    private var records = LatestRecords<Content>()
    private var configurations = TextDictionary<Int>()
    private var parser = JSONParser()

    package init() {}

    /// Takes a record of the topic of events.
    ///
    /// - Parameter contentType: the record's `content-type` header.
    package mutating func apply(_ view: RecordView, of topic: String, contentType: String?) {
        guard let value = view.value else { return records.put(view, of: topic, nil) }
        do throws(MessageProblem) {
            let batch = try CalendarEventMessage.decode(
                value, contentType: contentType, key: view.key, with: &parser)
            guard let id = batch.events.first?.key.calendarId ?? CalendarRecordKey(view.key).calendarId else { return }
            records.put(view, of: topic, Content(calendarId: id, events: batch.events.count))
        } catch {
            // The newest record of the calendar cannot be read; a timeline may say so (T26).
            guard let id = CalendarRecordKey(view.key).calendarId else { return unread.add(view, of: topic, error) }
            records.put(view, of: topic, Content(calendarId: id, events: nil))
        }
    }

    /// Counts the configurations that show each calendar.
    package mutating func count(_ list: borrowing ConfigurationList) {
        list.forEach { message, _ in
            guard case .usable(let configuration) = message else { return }
            for id in configuration.calendarIds { configurations[id, default: 0] += 1 }
        }
    }

    /// The calendars, ascending by id. The place is that of the newest record.
    package func rows() -> [InspectedRow] {
        let byCalendar = Dictionary(grouping: records.values.map(\.entry)) { TextKey($0.value.calendarId) }
        let keys = Set(byCalendar.keys).union(configurations.texts.map { TextKey($0) })
        return keys.sorted().map { key in
            var row = InspectedRow()
            let (id, entries) = (key.text, byCalendar[key] ?? [])
            row.add("calendarId", id)
            row.add("events", entries.reduce(0) { $0 + ($1.value.events ?? 0) })
            row.add("records", entries.count)
            row.add("unreadable", entries.count { $0.value.events == nil })
            let newest = entries.max { left, right in
                (left.timestamp, left.place.partition, left.place.offset)
                    < (right.timestamp, right.place.partition, right.place.offset)
            }
            row.add("newest", newest?.timestamp)
            row.add("configurations", configurations[id] ?? 0)
            if let newest { row.add(newest.place) }
            return row
        }
    }
}
