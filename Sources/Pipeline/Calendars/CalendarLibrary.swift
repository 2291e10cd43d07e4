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
    let calendars = StateStore(.calendars)
    private let settings: PipelineSettings
    private var reader = CalendarRecordReader()
    private var contents = SlotMap<CalendarState, CalendarContents>(absent: CalendarContents())
    /// The records of each calendar.
    private let links: SubscriptionLinks<CalendarState, CalendarRecordState>
    private var expiry: SourceExpiry<CalendarState>
    private var restoredRecords = RestoreWalk<CalendarRecordState>()
    private var restored = RestoreWalk<CalendarState>()
    /// The events that this transaction found in a record or filed.
    private var touched: [Slot<CalendarRecordState>: Touched] = [:]

    private struct Touched {
        var calendar: Slot<CalendarState>
        var keys: Set<EventKey>
    }

    /// A calendar without records and subscribers is removed so long after its last record: 30 days.
    private static let kept = ElapsedTime.hours(30 * 24)

    init(_ settings: PipelineSettings) {
        self.settings = settings
        links = SubscriptionLinks(to: calendars)
        expiry = SourceExpiry(of: calendars, after: Self.kept)
        records.onRelease = { [unowned self] in forget($0) }
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
    /// - Returns: whether the record says something else than what is filed already, and what of it could not be kept.
    func file(
        _ events: [CalendarEvent], as name: String, value: UnsafeRawBufferPointer, contentType: String?,
        in calendar: Slot<CalendarState>, of origin: Origin, _ context: TaskContext
    ) -> (isChange: Bool, problem: MessageProblem?) {
        let slot = records.slot(of: name)
        links.link(slot, to: calendar)
        let held = self.events(of: slot)
        let merged = reader.merge(events, over: held, bytesMax: settings.newerEventsBytesMax)
        let (events, newer) = (merged.events, merged.newer)
        if records.hasValue(slot) && events == held { return (false, merged.problem) }
        let arrival = noteChange(of: calendar, origin, context)
        records[slot] = CalendarRecordState(
            value: Array(value), contentType: contentType, arrival: arrival.rawValue, newer: newer)
        refile(slot, calendar, events, insteadOf: held.map(\.key))
        return (true, merged.problem)
    }

    func isFiled(_ name: String) -> Bool { records.find(name).map { records.hasValue($0) } ?? false }

    /// - Precondition: a record of this name is filed.
    func remove(_ name: String, from calendar: Slot<CalendarState>, of origin: Origin, _ context: TaskContext) {
        guard let slot = records.find(name), records.hasValue(slot) else {
            preconditionFailure("A record that is removed is filed.")
        }
        let held = events(of: slot)
        noteChange(of: calendar, origin, context)
        records[slot] = nil
        refile(slot, calendar, [], insteadOf: held.map(\.key))
    }

    /// Notes whether the newest record of the calendar could be read.
    ///
    /// - Returns: false if that was so before.
    func mark(isUnreadable: Bool, _ calendar: Slot<CalendarState>, _ context: TaskContext) -> Bool {
        guard isUnreadable != calendars[calendar]?.isUnreadable ?? false else { return false }
        calendars.modify(calendar) { state in
            if state == nil {
                state = CalendarState()
                expiry.sourceCame(calendar, context)
            }
            state!.revision.advance()
            state!.isUnreadable = isUnreadable
            state!.heardAt = context.now
        }
        return true
    }

    /// - Returns: the calendar's new revision, which is the arrival of the record.
    @discardableResult
    private func noteChange(
        of calendar: Slot<CalendarState>, _ origin: Origin, _ context: TaskContext
    ) -> SourceRevision {
        calendars.modify(calendar) { state in
            if state == nil {
                state = CalendarState()
                expiry.sourceCame(calendar, context)
            }
            state!.revision.advance()
            state!.heardAt = context.now
            state!.origin = origin
            return state!.revision
        }
    }

    /// Says in state whether subscribers are still to be told of a change.
    func setFanOut(_ fanOut: FanOutMark?, of calendar: Slot<CalendarState>) {
        guard let state = calendars[calendar], fanOut != nil || state.fanOut != nil else { return }
        calendars.modify(calendar) { $0!.fanOut = fanOut }
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
        return contents[calendar].agenda(need, in: zone, at: at, now: now) { uid in
            settings.onExpansion(calendars.key(of: calendar), uid)
        }
    }

    // MARK: - Times

    var nextDue: Instant? { expiry.nextDue }

    func count(_ load: inout TimerLoad) { expiry.count(&load) }

    func punctuate(_ context: TaskContext, hasSubscribers: (Slot<CalendarState>) -> Bool) {
        expiry.punctuate(context) { links.first(of: $0) != nil || hasSubscribers($0) }
    }

    /// The last subscription or the last record of a calendar has ended.
    func calendarDeserted(_ calendar: Slot<CalendarState>) { expiry.arm(calendar) }

    // MARK: - Derived from state

    /// - Returns: false if the portion was used up, as `DerivingProcessor.finishRestore`.
    func finishRestore(_ portion: inout Int) -> Bool {
        while let slot = restoredRecords.next(in: records, &portion) {
            let name = records.withKey(of: slot) { CalendarRecordKey($0) }
            guard let calendarId = name.calendarId else {
                preconditionFailure("A record is filed under a name that begins with its calendar.")
            }
            let calendar = self.slot(of: calendarId)
            links.link(slot, to: calendar)
            let events = events(of: slot)
            contents[calendar].file(events, insteadOf: [], of: holder(slot))
            // A record may be a whole calendar.
            portion -= events.count
        }
        guard restoredRecords.isDone(in: records) else { return false }
        while let slot = restored.next(in: calendars, &portion) {
            if links.first(of: slot) == nil { expiry.arm(slot) }
        }
        return restored.isDone(in: calendars)
    }

    func committed() {
        touched.removeAll()
        expiry.committed()
    }

    func reverted() {
        for (slot, touched) in touched {
            contents[touched.calendar].file(events(of: slot), insteadOf: touched.keys, of: holder(slot))
        }
        touched.removeAll()
        expiry.reverted()
    }

    /// Records have gone.
    private func forget(_ released: ReleasedSlots<CalendarRecordState>) {
        for slot in released.slots {
            if let calendar = links.unlink(slot) { calendarDeserted(calendar) }
        }
        links.forget(released)
    }

    /// Calendars have been removed.
    func forget(_ released: ReleasedSlots<CalendarState>) {
        contents.forget(released)
        links.forget(released)
        expiry.forget(released)
    }
}
