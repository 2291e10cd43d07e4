import Agendas
import Messages
import RecordLog
import StreamCore
import Timelines

/// Calendars: files the events of records, and tells each subscribed configuration the agenda of its window when an
/// occurrence in it changed, when it asks, and at each of its midnights, with which the window moves on. However many
/// records change a calendar in one transaction, its subscribers are told once.
final class CalendarProcessor: Processor {
    private let settings: PipelineSettings
    /// By `CalendarFiling.name`.
    private let records = StateStore<CalendarRecordState>(id: StoreID.calendarRecords)
    private let calendars = StateStore<CalendarState>(id: StoreID.calendars)
    /// By `SubscriptionLinks.key`.
    private let subscriptions = StateStore<CalendarSubscription>(id: StoreID.calendarSubscriptions)
    private var links = SubscriptionLinks()
    private var reader = CalendarRecordReader()
    /// By slot of the calendar.
    private var contents: [CalendarContents] = []
    /// Calendars whose events were changed by this transaction, with the trace of the first change.
    private var changed = PendingSlots<[UInt8]?>()
    /// Calendars that can be read again by this transaction, or no longer.
    private var noted = PendingSlots<Void>()
    /// By slot of the record: what this transaction found in it or filed. After an abort that is read from the store.
    private var touched: [Int: Touched] = [:]
    private var asked = PendingSlots<(cause: Cause, at: Instant)>()
    /// By slot of the subscription: when its window moves on.
    private var midnights = SlotTimers()

    private struct Touched {
        var calendar: Int
        var keys: Set<EventKey>
    }

    init(_ settings: PipelineSettings) {
        self.settings = settings
    }

    var stores: [any ChangelogStore] { [records, calendars, subscriptions] }
    var nextDue: Int64? { midnights.nextDue }

    // MARK: - Records

    func process(_ record: InputRecord, _ context: TaskContext) {
        do throws(MessageProblem) {
            guard let value = record.value else { return try remove(record, context) }
            guard value.count <= settings.recordBytesMax else { throw settings.tooLarge(value.count) }
            try file(value, of: record, context)
        } catch {
            context.deadLetter(record, error, settings)
            let key = CalendarRecordKey(record.key)
            // What a tombstone removes is an event: a key that names none names no calendar.
            if record.value == nil && key.event == nil { return }
            guard let calendarId = key.calendarId else { return }
            context.noteUnreadable(calendarId, node: NodeID.calendars) { id, _ in
                note(isUnreadable: true, calendar: slot(ofOwned: id))
            }
        }
    }

    private func file(
        _ value: UnsafeRawBufferPointer, of record: InputRecord, _ context: TaskContext
    ) throws(MessageProblem) {
        let contentType = context.headers(of: record).first { $0.name == "content-type" }?.value
            .map { String(decoding: $0, as: UTF8.self) }
        let batch = try reader.read(value, contentType: contentType, key: record.key)
        let filing = try CalendarFiling(batch, CalendarRecordKey(record.key))
        guard let calendar = slot(of: filing.calendarId, orForward: record, context) else { return }
        // Nothing is lost without a word: what was left out can be looked up, the rest is used.
        if let problem = batch.problemOfLeftOut { context.deadLetter(record, problem, settings) }
        note(isUnreadable: false, calendar: calendar)
        let slot = records.slot(of: filing.name)
        let held = events(of: slot)
        let (events, newer) = reader.merge(batch.events, over: held)
        if records[slot] != nil && events == held { return }
        noteChange(of: calendar, record, context)
        records[slot] = CalendarRecordState(
            value: Array(value), contentType: batch.form == .event ? nil : contentType,
            arrival: calendars[calendar]?.revision ?? 0, newer: newer)
        refile(slot, calendar, events, insteadOf: held.map(\.key))
    }

    private func remove(_ record: InputRecord, _ context: TaskContext) throws(MessageProblem) {
        let key = CalendarRecordKey(record.key)
        let named = record.key ?? UnsafeRawBufferPointer(start: nil, count: 0)
        let calendarId =
            if let calendarId = key.calendarId { calendarId } else { try EventKey.decode(named).calendarId }
        guard let calendar = slot(of: calendarId, orForward: record, context) else { return }
        let slot = records.find(key.text).flatMap { records[$0] == nil ? nil : $0 }
        // Without a record of that name, it must be an event's.
        if slot == nil { _ = try EventKey.decode(named) }
        note(isUnreadable: false, calendar: calendar)
        guard let slot else { return }
        let held = events(of: slot)
        noteChange(of: calendar, record, context)
        records[slot] = nil
        refile(slot, calendar, [], insteadOf: held.map(\.key))
    }

    /// What the record in the store stands for.
    private func events(of slot: Int) -> [CalendarEvent] {
        guard let state = records[slot] else { return [] }
        return reader.events(of: state, name: records.key(of: slot))
    }

    private func refile(_ slot: Int, _ calendar: Int, _ events: [CalendarEvent], insteadOf held: [EventKey]) {
        touched[slot, default: Touched(calendar: calendar, keys: [])].keys.formUnion(held + events.map(\.key))
        contents[calendar].file(events, insteadOf: held, of: holder(slot))
    }

    private func holder(_ slot: Int) -> EventCalendar.Holder {
        EventCalendar.Holder(record: slot, arrival: records[slot]?.arrival ?? 0)
    }

    /// The calendar's slot; nil where its task is another, which gets the record.
    private func slot(of calendarId: String, orForward record: InputRecord, _ context: TaskContext) -> Int? {
        context.whereOwned(calendarId, orForward: record) { id, _ in slot(ofOwned: id) }
    }

    private func slot(ofOwned calendarId: UnsafeRawBufferPointer) -> Int {
        let slot = calendars.slot(of: calendarId)
        while contents.count <= slot { contents.append(CalendarContents()) }
        return slot
    }

    private func slot(ofOwned calendarId: String) -> Int {
        var calendarId = calendarId
        return calendarId.withUTF8 { slot(ofOwned: UnsafeRawBufferPointer($0)) }
    }

    private func noteChange(of calendar: Int, _ record: InputRecord, _ context: TaskContext) {
        if calendars[calendar] == nil { calendars[calendar] = CalendarState() }
        calendars[calendar]!.revision += 1
        calendars[calendar]!.origin = record.origin
        changed.insert(calendar) { context.traceParent(of: record) }
    }

    /// Whether the newest record of the calendar could be read. That is no news by itself.
    private func note(isUnreadable: Bool, calendar: Int) {
        guard isUnreadable != calendars[calendar]?.isUnreadable ?? false else { return }
        if calendars[calendar] == nil { calendars[calendar] = CalendarState() }
        calendars[calendar]!.revision += 1
        calendars[calendar]!.isUnreadable = isUnreadable
        noted.insert(calendar) { () }
    }

    // MARK: - Subscriptions

    func receive(_ message: NodeMessage, _ context: TaskContext) {
        let calendar = slot(ofOwned: message.entity)
        switch SourceMessage.read(message) {
        case .unreadable: note(isUnreadable: true, calendar: calendar)
        case .request(let wish, let subscriber): take(wish, subscriber, message, calendar, context)
        }
    }

    private func take(
        _ wish: SubscriptionRequest, _ subscriber: SubscriptionRequest.Subscriber, _ message: NodeMessage,
        _ calendar: Int, _ context: TaskContext
    ) {
        let calendarId = String(decoding: message.entity, as: UTF8.self)
        let slot = subscriptions.slot(of: SubscriptionLinks.key(calendarId, subscriber.configurationId))
        links.link(slot, to: calendar)
        let known = subscriptions[slot]?.version ?? 0
        switch wish {
        case .subscribe(let terms):
            guard subscriber.version >= known, let need = terms.agenda else { return }
            subscriptions[slot] = CalendarSubscription(
                version: subscriber.version, timeZone: terms.timeZone, need: need)
            asked.insert(slot, replacing: (.subscribed, context.instant))
        case .unsubscribe:
            guard subscriber.version >= known else { return }
            subscriptions[slot] = nil
            midnights.disarm(slot)
        case .snapshot(let at):
            guard subscriber.version == known else { return }
            asked.insert(slot, replacing: (.scheduled, at))
        }
    }

    // MARK: - Telling

    func flush(_ context: TaskContext) {
        for (slot, wish) in asked.take() { tell(slot, wish.cause, at: wish.at, traceParent: nil, context) }
        for (calendar, traceParent) in changed.take() { tellAll(of: calendar, traceParent: traceParent, context) }
        for (calendar, _) in noted.take() { tellAll(of: calendar, traceParent: nil, context) }
    }

    private func tellAll(of calendar: Int, traceParent: [UInt8]?, _ context: TaskContext) {
        for slot in links.subscriptions(of: calendar) {
            tell(slot, .dataChanged, at: context.instant, traceParent: traceParent, context)
        }
    }

    private func tell(_ slot: Int, _ cause: Cause, at: Instant, traceParent: [UInt8]?, _ context: TaskContext) {
        guard let subscription = subscriptions[slot] else { return }
        let calendar = links.source(of: slot)
        guard let zone = LocalCalendar(subscription.timeZone) else { return }
        let at = settings.notAhead(at, of: context.instant)
        let state = calendars[calendar] ?? CalendarState()
        let agenda = agenda(of: calendar, subscription.need, in: zone, at: at, now: context.instant)
        let told = CalendarSubscription.Told(
            agenda: agenda?.digest ?? Occurrence.digest(of: []), isUnreadable: state.isUnreadable,
            until: agenda?.window.nextMidnight)
        arm(slot, at: told.until)
        var cause = cause
        if cause == .dataChanged {
            if told == subscription.told { return }
            if told.agenda == subscription.told?.agenda { cause = .noted }
        }
        subscriptions[slot]!.told = told
        let update = SourceUpdate(
            source: .calendar(calendars.key(of: calendar)), version: subscription.version,
            revision: state.revision, cause: cause, at: at,
            content: SourceContent(
                occurrences: agenda?.occurrences ?? [], windowEnd: agenda?.window.end, origin: state.origin,
                isUnreadable: state.isUnreadable),
            traceParent: traceParent)
        context.send(to: links.configurationId(of: slot, in: subscriptions), node: NodeID.configurations) {
            ConfigurationInput.update(update).encode(into: &$0)
        }
    }

    /// What a timeline made at `at` shows of this calendar; nil, where it shows no days.
    private func agenda(
        of calendar: Int, _ need: SourceNeeds.AgendaNeed, in zone: LocalCalendar, at: Instant, now: Instant
    ) -> CalendarContents.Agenda? {
        guard need.days > 0 else { return nil }
        // All calendars of a configuration are kept in one record of its state.
        let share = Self.agendaBytesMax / max(1, need.calendarIds.count)
        return contents[calendar].agenda(need, in: zone, at: at, now: now, bytesMax: share) { uid in
            settings.onExpansion(calendars.key(of: calendar), uid)
        }
    }

    private static let agendaBytesMax = 2 << 20

    /// A window that has moved on makes no timeline by itself (T12), but the next one shows it.
    func punctuate(_ context: TaskContext) {
        while let slot = midnights.pop(now: context.now) {
            guard let midnight = subscriptions[slot]?.told?.until else { continue }
            if midnight <= context.instant {
                asked.insert(slot) { (.noted, context.instant) }
            } else {
                midnights.arm(slot, due: midnight.milliseconds)
            }
        }
    }

    private func arm(_ slot: Int, at midnight: Instant?) {
        if let midnight { midnights.arm(slot, due: midnight.milliseconds) } else { midnights.disarm(slot) }
    }

    /// The window is that of another day again.
    func clockWentBack(_ context: TaskContext) {
        for slot in 0..<subscriptions.slots {
            guard let subscription = subscriptions[slot], let midnight = subscription.told?.until,
                let zone = LocalCalendar(subscription.timeZone)
            else { continue }
            if midnight != subscription.need.window(at: context.instant, in: zone).nextMidnight {
                asked.insert(slot) { (.noted, context.instant) }
            }
        }
    }

    /// Configurations ask for what they need.
    func bringUp(_ context: TaskContext) {}

    // MARK: - Derived from state

    func finishRestore(_ context: TaskContext) {
        for slot in 0..<records.slots where records[slot] != nil {
            let name = records.withKey(of: slot) { CalendarRecordKey($0) }
            guard let calendarId = name.calendarId else {
                preconditionFailure("A record is filed under a name that begins with its calendar.")
            }
            contents[self.slot(ofOwned: calendarId)].file(events(of: slot), insteadOf: [], of: holder(slot))
        }
        for slot in 0..<subscriptions.slots where subscriptions[slot] != nil {
            let calendarId = SubscriptionLinks.source(in: subscriptions.key(of: slot))
            links.link(slot, to: self.slot(ofOwned: calendarId))
        }
        armMidnights()
    }

    private func armMidnights() {
        midnights.removeAll()
        for slot in 0..<subscriptions.slots {
            arm(slot, at: subscriptions[slot]?.told?.until)
        }
    }

    func committed(_ context: TaskContext) { touched.removeAll() }

    func reverted(_ context: TaskContext) {
        _ = asked.take()
        _ = changed.take()
        _ = noted.take()
        armMidnights()
        for (slot, touched) in touched {
            contents[touched.calendar].file(events(of: slot), insteadOf: touched.keys, of: holder(slot))
        }
        touched.removeAll()
    }
}

extension CalendarEventBatch {
    /// Why some of the record's events are not used, though the rest is.
    fileprivate var problemOfLeftOut: MessageProblem? {
        guard var problem = leftOut.first else { return nil }
        let more = leftOut.count > 1 ? "; so are \(leftOut.count - 1) more parts of the record" : ""
        problem.message += "; left out\(more); \(events.count) of its events are used"
        return problem
    }
}
