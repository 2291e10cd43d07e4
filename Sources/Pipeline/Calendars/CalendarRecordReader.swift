import Agendas
import Messages

/// Reads records, once more after a restore.
struct CalendarRecordReader: ~Copyable {
    private var parser = JSONParser()

    mutating func read(
        _ value: UnsafeRawBufferPointer, contentType: String?, key: UnsafeRawBufferPointer?
    ) throws(MessageProblem) -> CalendarEventBatch {
        let batch = try batch(value, contentType: contentType, key: key)
        try batch.checkSteps()
        return batch
    }

    private mutating func batch(
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
                try? self.batch(value, contentType: state.contentType, key: UnsafeRawBufferPointer(key))
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
    /// - Parameter bytesMax: what the older record may leave in the state of the newer one (R11). What it cannot leave
    ///   counts as the newer record has it.
    mutating func merge(_ events: [CalendarEvent], over older: [CalendarEvent], bytesMax: Int) -> Merged {
        if older.isEmpty { return Merged(events: events) }
        let known = Dictionary(older.map { ($0.key, $0) }) { first, _ in first }
        var merged = Merged(events: events)
        var room = bytesMax
        for index in events.indices {
            guard let other = known[events[index].key], other.isNewer(than: events[index]) else { continue }
            let bytes = other.message.value
            guard bytes.count <= room else {
                if merged.problem == nil { merged.problem = .noRoom(for: other, bytesMax) }
                continue
            }
            guard self.event(bytes, of: other.calendarId) == other else { continue }
            room -= bytes.count
            merged.newer.append(bytes)
            merged.events[index] = other
        }
        return merged
    }

    /// The events that count after a record, where an older one of its name has newer versions of some.
    struct Merged {
        var events: [CalendarEvent]
        /// Those of the older record among them, each as a record of its own holds it.
        var newer: [[UInt8]] = []
        /// Some of those could not be kept.
        var problem: MessageProblem?
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

extension MessageProblem {
    /// A newer version of an event that an older record brought, and that the newer record has no room for.
    fileprivate static func noRoom(for event: CalendarEvent, _ bytesMax: Int) -> MessageProblem {
        MessageProblem(
            .tooLarge, field: "uid \(event.uid)",
            """
            is an older version than what was known of the event, and counts from now on, perhaps with others of the \
            record: at most \(bytesMax) bytes of newer versions are kept beside a record
            """)
    }
}
