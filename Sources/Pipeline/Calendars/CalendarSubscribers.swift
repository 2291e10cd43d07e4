import Agendas
import RecordLog
import StreamCore
import Timelines

/// The configurations that subscribe to calendars: which of them has news, and the updates that they are sent.
///
/// A subscriber is sent the agenda of its window when an occurrence in it changed, when it asks, and at each of its
/// midnights, with which the window moves on.
final class CalendarSubscribers {
    /// The key is a `SubscriptionKey`.
    let subscriptions = StateStore(.calendarSubscriptions)
    private let library: CalendarLibrary
    private let settings: PipelineSettings
    private let links: SubscriptionLinks<CalendarState, CalendarSubscription>
    /// When the window of a subscription moves on.
    private var midnights = SlotTimers<CalendarSubscription>()
    /// The midnights that this transaction took out.
    private var fired: [Slot<CalendarSubscription>] = []
    /// Subscriptions that an update is due to, whatever it says.
    private var due = SlotQueue<CalendarSubscription, (cause: Cause, at: Instant)>()
    /// Calendars whose events were changed by this transaction, with the trace of the first change.
    private var changed = SlotQueue<CalendarState, [UInt8]?>()
    /// Calendars that can be read again by this transaction, or no longer.
    private var marked = SlotQueue<CalendarState, Void>()
    private var fanOut: FanOut<CalendarState, CalendarSubscription>
    /// Going through the windows after the clock went back.
    private var clockWalk = SlotWalk<CalendarSubscription>()
    /// Deriving what follows from the subscriptions that were restored.
    private var restored = RestoreWalk<CalendarSubscription>()
    /// Going on with what their calendars were telling them.
    private var restoredMarks = RestoreWalk<CalendarState>()

    init(of library: CalendarLibrary, _ settings: PipelineSettings) {
        self.library = library
        self.settings = settings
        links = SubscriptionLinks(to: library.calendars)
        fanOut = FanOut(links)
        subscriptions.onRelease = { [unowned self] in forget($0) }
    }

    func hasSubscribers(_ calendar: Slot<CalendarState>) -> Bool { links.first(of: calendar) != nil }

    // MARK: - Changes and requests

    func calendarChanged(_ calendar: Slot<CalendarState>, traceParent: @autoclosure () -> [UInt8]?) {
        changed.append(calendar, traceParent())
    }

    func calendarWasMarked(_ calendar: Slot<CalendarState>) { marked.append(calendar) }

    func receive(
        _ request: SubscriptionRequest, from subscriber: SubscriptionRequest.Subscriber,
        of calendar: Slot<CalendarState>, _ calendarId: String, _ context: TaskContext
    ) {
        let slot = subscriptions.slot(of: SubscriptionKey.text(calendarId, subscriber.configurationId))
        links.link(slot, to: calendar)
        let known = subscriptions[slot]?.version ?? 0
        switch request {
        case .subscribe(let terms):
            guard subscriber.version >= known, let need = terms.agenda else { return }
            subscriptions[slot] = CalendarSubscription(
                version: subscriber.version, timeZone: terms.timeZone, need: need)
            due.replace(slot, with: (.subscribed, context.now))
        case .unsubscribe:
            guard subscriber.version >= known else { return }
            subscriptions[slot] = nil
            midnights.disarm(slot)
        case .snapshot(let at):
            guard subscriber.version == known else { return }
            due.replace(slot, with: (.scheduled, at))
        }
    }

    // MARK: - Timers

    func count(_ load: inout TimerLoad) { load.add(midnights) }

    var nextDue: Instant? { midnights.nextDue }

    /// A window that has moved on makes no timeline by itself (T12), but the next one shows it.
    func punctuate(_ context: TaskContext) {
        for _ in 0..<context.timerPortion {
            guard let slot = midnights.pop(now: context.now) else { break }
            fired.append(slot)
            guard let midnight = subscriptions[slot]?.lastUpdate?.until else { continue }
            if midnight <= context.now {
                due.append(slot, (.noted, context.now))
            } else {
                midnights.arm(slot, due: midnight)
            }
        }
    }

    private func arm(_ slot: Slot<CalendarSubscription>, at midnight: Instant?) {
        if let midnight { midnights.arm(slot, due: midnight) } else { midnights.disarm(slot) }
    }

    /// The window is that of another day again, perhaps. What was changed in it meanwhile was told to nobody, so its
    /// agenda is news, whatever was sent of the other day.
    func clockWentBack(_ context: TaskContext) {
        clockWalk.begin()
        followClock(context)
    }

    private func followClock(_ context: TaskContext) {
        clockWalk.advance(over: subscriptions, context) { slot in
            guard let subscription = subscriptions[slot], let midnight = subscription.lastUpdate?.until,
                let zone = LocalCalendar(subscription.timeZone)
            else { return false }
            if midnight == subscription.need.window(at: context.now, in: zone).nextMidnight { return false }
            subscriptions[slot]!.lastUpdate = nil
            due.append(slot, (.dataChanged, context.now))
            return true
        }
    }

    // MARK: - Updates

    /// True if subscribers are to be told, or looked at, in the next transaction.
    var hasMoreToFlush: Bool { fanOut.hasMore || clockWalk.isUnderWay }

    /// True if subscribers are to be told in this transaction.
    var hasNews: Bool { !due.isEmpty || !changed.isEmpty || !marked.isEmpty }

    func flush(_ context: TaskContext) {
        followClock(context)
        for (slot, update) in due.drain() { send(update.cause, at: update.at, to: slot, traceParent: nil, context) }
        for (calendar, traceParent) in changed.drain() { fanOut.begin(calendar, traceParent: traceParent) }
        for (calendar, _) in marked.drain() { fanOut.begin(calendar, traceParent: nil) }
        fanOut.advance(context) { slot, traceParent in
            send(.dataChanged, at: context.now, to: slot, traceParent: traceParent, context)
            return true
        } mark: { calendar, mark in
            library.setFanOut(mark, of: calendar)
        }
    }

    private func send(
        _ cause: Cause, at: Instant, to slot: Slot<CalendarSubscription>, traceParent: [UInt8]?,
        _ context: TaskContext
    ) {
        guard let subscription = subscriptions[slot] else { return }
        let calendar = links.source(of: slot)
        guard let zone = LocalCalendar(subscription.timeZone) else { return }
        let at = settings.notAhead(at, of: context.now)
        let state = library.state(of: calendar)
        let agenda = library.agenda(of: calendar, subscription.need, in: zone, at: at, now: context.now)
        let new = CalendarSubscription.Update(
            agenda: agenda?.digest ?? Occurrence.digest(of: []), isUnreadable: state.isUnreadable,
            until: agenda?.window.nextMidnight)
        arm(slot, at: new.until)
        var cause = cause
        if cause == .dataChanged {
            if new == subscription.lastUpdate { return }
            if new.agenda == subscription.lastUpdate?.agenda { cause = .noted }
        }
        subscriptions[slot]!.lastUpdate = new
        let update = SourceUpdate(
            source: .calendar(library.calendarId(of: calendar)), version: subscription.version,
            revision: state.revision, cause: cause, at: at,
            content: content(agenda, state),
            traceParent: traceParent)
        let configurationId = subscriptions.withKey(of: slot) { SubscriptionKey.configurationId(in: $0) }
        context.send(ConfigurationInput.update(update), to: configurationId, at: .configurations)
    }

    /// An agenda that no configuration could keep is not sent: its size is (R11).
    private func content(_ agenda: CalendarContents.Agenda?, _ state: CalendarState) -> SourceContent {
        let bytes = agenda?.bytes ?? 0
        let isTooLarge = bytes > settings.agendasBytesMax
        var content = SourceContent(
            occurrences: isTooLarge ? [] : agenda?.occurrences ?? [], windowEnd: agenda?.window.end,
            origin: state.origin, isUnreadable: state.isUnreadable)
        if isTooLarge { content.leftOutBytes = bytes }
        return content
    }

    // MARK: - Derived from state

    /// - Returns: false if the portion was used up, as `DerivingProcessor.finishRestore`.
    func finishRestore(_ portion: inout Int) -> Bool {
        while let slot = restored.next(in: subscriptions, &portion) {
            let calendar = subscriptions.withKey(of: slot) { library.slot(of: SubscriptionKey.sourceId(in: $0)) }
            links.link(slot, to: calendar)
            arm(slot, at: subscriptions[slot]?.lastUpdate?.until)
        }
        guard restored.isDone(in: subscriptions) else { return false }
        while let calendar = restoredMarks.next(in: library.calendars, &portion) {
            if let mark = library.state(of: calendar).fanOut { fanOut.restore(calendar, mark) }
        }
        guard restoredMarks.isDone(in: library.calendars) else { return false }
        fanOut.committed()
        return true
    }

    func committed() {
        fired.removeAll(keepingCapacity: true)
        fanOut.committed()
        clockWalk.committed()
    }

    /// Forgets work that waits, and derives anew what the aborted transaction may have changed.
    func reverted() {
        due.removeAll()
        changed.removeAll()
        marked.removeAll()
        fanOut.reverted()
        clockWalk.reverted()
        for slot in fired + subscriptions.reverted { arm(slot, at: subscriptions[slot]?.lastUpdate?.until) }
        fired.removeAll()
    }

    /// Subscriptions have ended.
    private func forget(_ released: ReleasedSlots<CalendarSubscription>) {
        for slot in released.slots {
            fanOut.unlinking(slot)
            if let calendar = links.unlink(slot) { library.calendarDeserted(calendar) }
        }
        links.forget(released)
        midnights.forget(released)
        due.forget(released)
    }

    /// Calendars have been removed.
    func forget(_ released: ReleasedSlots<CalendarState>) {
        links.forget(released)
        changed.forget(released)
        marked.forget(released)
    }
}
