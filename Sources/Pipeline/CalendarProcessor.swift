import Agendas
import Messages
import RecordLog
import StreamCore
import Timelines

/// Calendars: files events, and tells each subscribed configuration the agenda of its window when an occurrence in it
/// changed, when it asks, and at each of its midnights, with which the window moves on. However many records change a
/// calendar in one transaction, it is expanded once.
final class CalendarProcessor: Processor {
    private let settings: PipelineSettings
    /// By the event's key text, `calendarId/uid[/recurrenceId]`.
    private let events = StateStore<EventState>(id: StoreID.events)
    private let calendars = StateStore<CalendarState>(id: StoreID.calendars)
    /// By `SubscriptionLinks.key`.
    private let subscriptions = StateStore<CalendarSubscription>(id: StoreID.calendarSubscriptions)
    private var links = SubscriptionLinks()
    private var parser = JSONParser()
    /// By slot of the calendar: its events, read.
    private var expanded: [EventCalendar] = []
    /// By slot of the calendar: the longest lead that any of its events ever named; wider than needed does no harm.
    private var longestLeads: [CalendarDuration?] = []
    /// Calendars whose events were changed by this transaction, with the trace of the first change.
    private var changed = PendingSlots<[UInt8]?>()
    /// Calendars that can be read again by this transaction, or no longer.
    private var noted = PendingSlots<Void>()
    /// Calendars that this transaction touched: after an abort they are read from the store again.
    private var touched: Set<Int> = []
    private var asked = PendingSlots<(cause: Cause, at: Instant)>()
    /// By slot of the subscription: when its window moves on.
    private var midnights = SlotTimers()

    init(_ settings: PipelineSettings) {
        self.settings = settings
    }

    var stores: [any ChangelogStore] { [events, calendars, subscriptions] }
    var nextDue: Int64? { midnights.nextDue }

    // MARK: - Events

    func process(_ record: InputRecord, _ context: TaskContext) {
        do throws(MessageProblem) {
            guard let value = record.value else { return try remove(record, context) }
            guard value.count <= settings.recordBytesMax else { throw settings.tooLarge(value.count) }
            try file(value, of: record, context)
        } catch {
            context.deadLetter(record, error, settings)
            // A key that names no event names no calendar.
            guard let key = record.key, let calendarId = (try? EventKey.decode(key))?.calendarId else { return }
            context.noteUnreadable(calendarId, node: NodeID.calendars) { id, _ in
                note(isUnreadable: true, calendar: slot(ofOwned: id))
            }
        }
    }

    private func file(
        _ value: UnsafeRawBufferPointer, of record: InputRecord, _ context: TaskContext
    ) throws(MessageProblem) {
        let contentType = context.headers(of: record).first { $0.name == "content-type" }?.value
        let event = try CalendarEventMessage.decode(
            ConfluentFraming.skipped(value), contentType: contentType.map { String(decoding: $0, as: UTF8.self) },
            with: &parser)
        guard let calendar = slot(of: event.calendarId, orForward: record, context) else { return }
        note(isUnreadable: false, calendar: calendar)
        guard apply(event, to: calendar) else { return }
        events[events.slot(of: event.key.text)] = EventState(value: Array(value))
        noteChange(of: calendar, record, context)
    }

    private func remove(_ record: InputRecord, _ context: TaskContext) throws(MessageProblem) {
        let key = try EventKey.decode(record.key ?? UnsafeRawBufferPointer(start: nil, count: 0))
        guard let calendar = slot(of: key.calendarId, orForward: record, context) else { return }
        note(isUnreadable: false, calendar: calendar)
        guard let event = events.find(key.text), events[event] != nil else { return }
        events[event] = nil
        _ = expanded[calendar].remove(key)
        noteChange(of: calendar, record, context)
    }

    /// The calendar's slot; nil where its task is another, which gets the record.
    private func slot(of calendarId: String, orForward record: InputRecord, _ context: TaskContext) -> Int? {
        context.whereOwned(calendarId, orForward: record) { id, _ in slot(ofOwned: id) }
    }

    private func slot(ofOwned calendarId: UnsafeRawBufferPointer) -> Int {
        let slot = calendars.slot(of: calendarId)
        while expanded.count <= slot {
            expanded.append(EventCalendar())
            longestLeads.append(nil)
        }
        return slot
    }

    /// - Returns: whether the calendar has changed: an event that is older than what is known changes nothing.
    private func apply(_ event: CalendarEvent, to calendar: Int) -> Bool {
        if let lead = event.preEventLead, lead.nominal > longestLeads[calendar]?.nominal ?? .zero {
            longestLeads[calendar] = lead
        }
        return expanded[calendar].apply(event)
    }

    private func noteChange(of calendar: Int, _ record: InputRecord, _ context: TaskContext) {
        touched.insert(calendar)
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
        let window = subscription.need.window(at: at, in: zone)
        let occurrences = agenda(of: calendar, subscription.need, in: window)
        let state = calendars[calendar] ?? CalendarState()
        let isShown = subscription.need.days > 0
        let told = CalendarSubscription.Told(
            agenda: Occurrence.digest(of: occurrences), isUnreadable: state.isUnreadable,
            until: isShown ? window.nextMidnight : nil)
        if let midnight = told.until { midnights.arm(slot, due: midnight.milliseconds) }
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
                occurrences: occurrences, windowEnd: isShown ? window.end : nil, origin: state.origin,
                isUnreadable: state.isUnreadable),
            traceParent: traceParent)
        context.send(to: links.configurationId(of: slot, in: subscriptions), node: NodeID.configurations) {
            update.encode(into: &$0)
        }
    }

    /// What a timeline of this window shows of this calendar.
    private func agenda(
        of calendar: Int, _ need: SourceNeeds.AgendaNeed, in window: AgendaWindow
    ) -> [Occurrence] {
        let leads = [longestLeads[calendar], need.preEventLead].compactMap { $0 }
        let range = window.range(lead: leads.max { $0.nominal < $1.nominal })
        let occurrences = expanded[calendar].occurrences(
            from: range.lowerBound, to: range.upperBound, in: window.calendar)
        // All calendars of a configuration are kept in one record of its state.
        let share = Self.agendaBytesMax / max(1, need.calendarIds.count)
        return Self.fitting(occurrences.filter(window.includes), in: share)
    }

    /// The first occurrences that fit into a message (rule 11). What is left out could not be shown: so many bytes hold
    /// more than the 500 entries that a timeline has at most, or more than a timeline may be long.
    private static func fitting(_ occurrences: [Occurrence], in bytesMax: Int) -> [Occurrence] {
        var bytes = 0
        return Array(
            occurrences.prefix { occurrence in
                bytes += occurrence.title.utf8.count + (occurrence.location?.utf8.count ?? 0)
                bytes += occurrence.uid.utf8.count + occurrence.calendarId.utf8.count + 128
                bytes += occurrence.vehicleId?.utf8.count ?? 0
                return bytes <= bytesMax
            })
    }

    private static let agendaBytesMax = 2 << 20

    /// A window that has moved on makes no timeline by itself (STRATEGIES.md 1.12), but the next one shows it.
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

    /// Configurations ask for what they need.
    func bringUp(_ context: TaskContext) {}

    // MARK: - Derived from state

    func finishRestore(_ context: TaskContext) {
        for slot in 0..<events.slots where events[slot] != nil { fileAgain(slot) }
        for slot in 0..<subscriptions.slots where subscriptions[slot] != nil {
            var calendarId = SubscriptionLinks.source(in: subscriptions.key(of: slot))
            let calendar = calendarId.withUTF8 { self.slot(ofOwned: UnsafeRawBufferPointer($0)) }
            links.link(slot, to: calendar)
        }
        armMidnights()
    }

    private func armMidnights() {
        midnights.removeAll()
        for slot in 0..<subscriptions.slots {
            if let midnight = subscriptions[slot]?.told?.until { midnights.arm(slot, due: midnight.milliseconds) }
        }
    }

    func committed(_ context: TaskContext) { touched.removeAll() }

    func reverted(_ context: TaskContext) {
        _ = asked.take()
        _ = changed.take()
        _ = noted.take()
        armMidnights()
        if touched.isEmpty { return }
        for calendar in touched { expanded[calendar] = EventCalendar() }
        for slot in 0..<events.slots where events[slot] != nil {
            let key = try? EventKey(text: events.key(of: slot))
            guard let calendar = key.flatMap({ calendars.find($0.calendarId) }), touched.contains(calendar) else {
                continue
            }
            fileAgain(slot)
        }
        touched.removeAll()
    }

    private func fileAgain(_ slot: Int) {
        guard let state = events[slot] else { return }
        state.value.withUnsafeBytes { bytes in
            do throws(MessageProblem) {
                let event = try CalendarEventMessage.decode(ConfluentFraming.skipped(bytes), with: &parser)
                var calendarId = event.calendarId
                let calendar = calendarId.withUTF8 { self.slot(ofOwned: UnsafeRawBufferPointer($0)) }
                _ = apply(event, to: calendar)
            } catch {
                preconditionFailure("An event that was read once cannot be read again: \(error)")
            }
        }
    }
}
