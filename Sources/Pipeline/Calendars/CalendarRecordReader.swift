import Agendas
import Messages

/// Reads records, once more after a restore.
struct CalendarRecordReader: ~Copyable {
    private var parser = JSONParser()

    /// What older records of a name may leave in the newer one's state, so that its record in the changelog keeps its
    /// bounds (R11).
    private static let newerBytesMax = 1 << 20

    mutating func read(
        _ value: UnsafeRawBufferPointer, contentType: String?, key: UnsafeRawBufferPointer?
    ) throws(MessageProblem) -> CalendarEventBatch {
        var batch = try CalendarEventMessage.decode(value, contentType: contentType, key: key, with: &parser)
        batch.events = Self.newest(batch.events)
        return batch
    }

    /// The events that a record's state stands for, each key once.
    mutating func events(of state: CalendarRecordState, name: String) -> [CalendarEvent] {
        var name = name
        let batch = name.withUTF8 { key in
            state.value.withUnsafeBytes { value in
                try? read(value, contentType: state.contentType, key: UnsafeRawBufferPointer(key))
            }
        }
        // On another system a zone may be unknown. What can't be read any more is as gone until it comes again.
        guard let events = batch?.events else { return [] }
        if state.newer.isEmpty || events.isEmpty { return events }
        var newer: [EventKey: CalendarEvent] = [:]
        for value in state.newer {
            if let event = event(value, of: events[0].calendarId) { newer[event.key] = event }
        }
        return events.map { newer[$0.key] ?? $0 }
    }

    /// The events that a record stands for after an older one of its name: of each the newer version, but none that it
    /// does not hold any more.
    ///
    /// - Returns: the events, and those of the older record among them, each as a record of its own holds it.
    mutating func merge(
        _ events: [CalendarEvent], over older: [CalendarEvent]
    ) -> (events: [CalendarEvent], newer: [[UInt8]]) {
        if older.isEmpty { return (events, []) }
        let known = Dictionary(older.map { ($0.key, $0) }) { first, _ in first }
        var newer: [[UInt8]] = []
        var room = Self.newerBytesMax
        let merged = events.map { event in
            guard let other = known[event.key], other.isNewer(than: event) else { return event }
            let bytes = other.message.value
            guard bytes.count <= room, self.event(bytes, of: other.calendarId) == other else { return event }
            room -= bytes.count
            newer.append(bytes)
            return other
        }
        return (merged, newer)
    }

    private mutating func event(_ value: [UInt8], of calendarId: String) -> CalendarEvent? {
        value.withUnsafeBytes { try? CalendarEventMessage.decode($0, of: calendarId, with: &parser) }
    }

    /// Keeps the newest of the versions that a record has of one event; of equal ones the last.
    private static func newest(_ events: [CalendarEvent]) -> [CalendarEvent] {
        if events.count < 2 { return events }
        var places: [EventKey: Int] = [:]
        var result: [CalendarEvent] = []
        for event in events {
            if let place = places[event.key] {
                if !result[place].isNewer(than: event) { result[place] = event }
            } else {
                places[event.key] = result.count
                result.append(event)
            }
        }
        return result
    }
}
