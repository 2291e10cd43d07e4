import Agendas
import Messages
import RecordLog
import StreamCore
import Timelines

/// The calendars of a task: the records that hold their events, and the events merged in memory.
///
/// Records are state; the events are derived from them. After an abort the events of the records that the transaction
/// touched are read from the store again.
final class CalendarLibrary {
    /// The key is `CalendarFiling.name`.
    private let records = StateStore(.calendarRecords)
    private let calendars = StateStore(.calendars)
    private let settings: PipelineSettings
    private var reader = CalendarRecordReader()
    private var contents = SlotMap<CalendarState, CalendarContents>(absent: CalendarContents())
    /// The events that this transaction found in a record or filed.
    private var touched: [Slot<CalendarRecordState>: Touched] = [:]

    private struct Touched {
        var calendar: Slot<CalendarState>
        var keys: Set<EventKey>
    }

    init(_ settings: PipelineSettings) {
        self.settings = settings
    }

    var stores: [any ChangelogStore] { [records, calendars] }

    func slot(of calendarId: UnsafeRawBufferPointer) -> Slot<CalendarState> { calendars.slot(of: calendarId) }

    func slot(of calendarId: String) -> Slot<CalendarState> { calendars.slot(of: calendarId) }

    func calendarId(of calendar: Slot<CalendarState>) -> String { calendars.key(of: calendar) }

    /// The state of a calendar, also of one that nothing was ever heard of.
    func state(of calendar: Slot<CalendarState>) -> CalendarState { calendars[calendar] ?? CalendarState() }

    // MARK: - Filing

    /// Puts the events of a record in place of those that a record of the same name held.
    ///
    /// - Parameter contentType: the record's, if its value cannot be read without it.
    /// - Returns: false if the record says what is filed already.
    func file(
        _ events: [CalendarEvent], as name: String, value: UnsafeRawBufferPointer, contentType: String?,
        in calendar: Slot<CalendarState>, of origin: Origin
    ) -> Bool {
        let slot = records.slot(of: name)
        let held = self.events(of: slot)
        let (events, newer) = reader.merge(events, over: held)
        if records[slot] != nil && events == held { return false }
        let arrival = noteChange(of: calendar, origin)
        records[slot] = CalendarRecordState(
            value: Array(value), contentType: contentType, arrival: arrival.rawValue, newer: newer)
        refile(slot, calendar, events, insteadOf: held.map(\.key))
        return true
    }

    func isFiled(_ name: String) -> Bool { records.find(name).map { records[$0] != nil } ?? false }

    /// - Precondition: a record of this name is filed.
    func remove(_ name: String, from calendar: Slot<CalendarState>, of origin: Origin) {
        guard let slot = records.find(name), records[slot] != nil else {
            preconditionFailure("A record that is removed is filed.")
        }
        let held = events(of: slot)
        noteChange(of: calendar, origin)
        records[slot] = nil
        refile(slot, calendar, [], insteadOf: held.map(\.key))
    }

    /// Notes whether the newest record of the calendar could be read.
    ///
    /// - Returns: false if that was so before.
    func mark(isUnreadable: Bool, _ calendar: Slot<CalendarState>) -> Bool {
        guard isUnreadable != calendars[calendar]?.isUnreadable ?? false else { return false }
        calendars.modify(calendar) { state in
            if state == nil { state = CalendarState() }
            state!.revision.advance()
            state!.isUnreadable = isUnreadable
        }
        return true
    }

    /// - Returns: the calendar's new revision, which is the arrival of the record.
    @discardableResult
    private func noteChange(of calendar: Slot<CalendarState>, _ origin: Origin) -> SourceRevision {
        calendars.modify(calendar) { state in
            if state == nil { state = CalendarState() }
            state!.revision.advance()
            state!.origin = origin
            return state!.revision
        }
    }

    /// The events of the record in the store.
    private func events(of slot: Slot<CalendarRecordState>) -> [CalendarEvent] {
        guard let state = records[slot] else { return [] }
        return reader.events(of: state, name: records.key(of: slot))
    }

    private func refile(
        _ slot: Slot<CalendarRecordState>, _ calendar: Slot<CalendarState>, _ events: [CalendarEvent],
        insteadOf held: [EventKey]
    ) {
        touched[slot, default: Touched(calendar: calendar, keys: [])].keys.formUnion(held + events.map(\.key))
        contents[calendar].file(events, insteadOf: held, of: holder(slot))
    }

    private func holder(_ slot: Slot<CalendarRecordState>) -> EventCalendar.Holder {
        EventCalendar.Holder(record: slot.index, arrival: records[slot]?.arrival ?? 0)
    }

    // MARK: - Agendas

    /// The part of a timeline made at `at` that comes from this calendar; `nil` if the timeline shows no days.
    func agenda(
        of calendar: Slot<CalendarState>, _ need: SourceNeeds.AgendaNeed, in zone: LocalCalendar, at: Instant,
        now: Instant
    ) -> CalendarContents.Agenda? {
        guard need.days > 0 else { return nil }
        // All calendars of a configuration are kept in one record of its state.
        let share = Self.agendaBytesMax / max(1, need.calendarIds.count)
        return contents[calendar].agenda(need, in: zone, at: at, now: now, bytesMax: share) { uid in
            settings.onExpansion(calendars.key(of: calendar), uid)
        }
    }

    private static let agendaBytesMax = 2 << 20

    // MARK: - Derived from state

    func finishRestore() {
        for slot in records.slots where records[slot] != nil {
            let name = records.withKey(of: slot) { CalendarRecordKey($0) }
            guard let calendarId = name.calendarId else {
                preconditionFailure("A record is filed under a name that begins with its calendar.")
            }
            contents[self.slot(of: calendarId)].file(events(of: slot), insteadOf: [], of: holder(slot))
        }
    }

    func committed() { touched.removeAll() }

    func reverted() {
        for (slot, touched) in touched {
            contents[touched.calendar].file(events(of: slot), insteadOf: touched.keys, of: holder(slot))
        }
        touched.removeAll()
    }
}
