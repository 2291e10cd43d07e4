import Agendas

/// The contents of calendar files: one record for each event of each calendar, in the order of the files.
///
/// If files of one calendar hold the same event, the newest version counts (C11).
package struct CalendarContents {
    private(set) var records: [SourceRecord] = []
    private var places: [[UInt8]: Int] = [:]
    private var merged: [[UInt8]: EventCalendar] = [:]
    /// Calendars that are not all known: a file of theirs cannot be read, or breaks off. Nothing of them is gone.
    private var incomplete: Set<[UInt8]> = []
    /// Keys of masters, and `key/` of series with all overrides, that files hold in a form that cannot be used.
    private var unusable: Set<[UInt8]> = []
    /// The ids of the calendars, as UTF-8.
    package private(set) var calendars: Set<[UInt8]> = []

    /// Files that cannot be read at all.
    package private(set) var unreadable: [InputProblem] = []
    /// The problems of components that cannot be used.
    package private(set) var leftOut: [InputProblem] = []
    /// The problems of components that are used, but not as the files have them.
    package private(set) var remarks: [InputProblem] = []

    /// The most bytes of a value. Larger values are left out, for the pipeline refuses them.
    private let valueBytesMax: Int

    /// - Parameter valueBytesMax: the most bytes of a record's value.
    package init(valueBytesMax: Int = .max) {
        self.valueBytesMax = valueBytesMax
    }

    /// The number of events of all calendars.
    package var count: Int { records.count }

    /// Reads a file.
    package mutating func read(_ input: CalendarInput) {
        let calendar = Array(input.calendarId.utf8)
        calendars.insert(calendar)
        do throws(InputProblem) {
            let file = try CalendarFile(input)
            leftOut += file.leftOut
            remarks += file.remarks
            for event in file.contents.events {
                let record = SourceRecord(event)
                if let size = record.value?.count, size > valueBytesMax {
                    leaveOut(event.key, of: file, "the event takes \(size) bytes, at most \(valueBytesMax) are read")
                } else {
                    add(event, record, of: calendar)
                }
            }
            if !file.leftOut.isEmpty { noteUnusable(in: file) }
            if !file.isComplete {
                incomplete.insert(calendar)
                remarks.append(
                    InputProblem(
                        file: input.file, line: nil, reason: "END:VCALENDAR is missing; nothing counts as removed"))
            }
        } catch {
            unreadable.append(error)
            incomplete.insert(calendar)
        }
    }

    /// Notes that a part of a calendar cannot be read: no event of it counts as gone.
    package mutating func noteIncomplete(_ calendarId: String) {
        incomplete.insert(Array(calendarId.utf8))
    }

    /// The record with this key; `nil` if the files have none.
    subscript(key: [UInt8]) -> SourceRecord? { places[key].map { records[$0] } }

    /// True if an event that the files do not have is gone, not only unreadable there.
    func isGone(_ key: EventKey) -> Bool {
        guard !incomplete.contains(Array(key.calendarId.utf8)), self[Array(key.text.utf8)] == nil else { return false }
        guard !unusable.isEmpty else { return true }
        let master = EventKey(calendarId: key.calendarId, uid: key.uid).text
        return !unusable.contains(Array((key.recurrenceId == nil ? master : master + "/").utf8))
    }

    private mutating func leaveOut(_ key: EventKey, of file: CalendarFile, _ reason: String) {
        let isOverride = key.recurrenceId != nil
        let place = file.places.first { $0.uid == key.uid && $0.isOverride == isOverride }
        leftOut.append(InputProblem(file: file.input.file, line: place?.lines.lowerBound, reason: reason))
        let master = EventKey(calendarId: key.calendarId, uid: key.uid).text
        unusable.insert(Array((isOverride ? master + "/" : master).utf8))
    }

    private mutating func add(_ event: CalendarEvent, _ record: SourceRecord, of calendar: [UInt8]) {
        guard merged[calendar, default: EventCalendar()].apply(event) else { return }
        if let place = places[record.key] {
            records[place] = record
        } else {
            places[record.key] = records.count
            records.append(record)
        }
    }

    private mutating func noteUnusable(in file: CalendarFile) {
        let problems = file.leftOut.compactMap(\.line)
        for place in file.places where problems.contains(where: { place.lines.contains($0) }) {
            let master = EventKey(calendarId: file.input.calendarId, uid: place.uid).text
            unusable.insert(Array((place.isOverride ? master + "/" : master).utf8))
        }
    }
}
