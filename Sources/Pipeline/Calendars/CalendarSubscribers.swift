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
    private var links = SubscriptionLinks<CalendarState, CalendarSubscription>()
    /// When the window of a subscription moves on.
    private var midnights = SlotTimers<CalendarSubscription>()
    /// Subscriptions that an update is due to, whatever it says.
    private var due = SlotQueue<CalendarSubscription, (cause: Cause, at: Instant)>()
    /// Calendars whose events were changed by this transaction, with the trace of the first change.
    private var changed = SlotQueue<CalendarState, [UInt8]?>()
    /// Calendars that can be read again by this transaction, or no longer.
    private var marked = SlotQueue<CalendarState, Void>()

    init(of library: CalendarLibrary, _ settings: PipelineSettings) {
        self.library = library
        self.settings = settings
    }

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

    var nextDue: Instant? { midnights.nextDue }

    /// A window that has moved on makes no timeline by itself (T12), but the next one shows it.
    func punctuate(_ context: TaskContext) {
        while let slot = midnights.pop(now: context.now) {
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

    /// The window is that of another day again.
    func clockWentBack(_ context: TaskContext) {
        for slot in subscriptions.slots {
            guard let subscription = subscriptions[slot], let midnight = subscription.lastUpdate?.until,
                let zone = LocalCalendar(subscription.timeZone)
            else { continue }
            if midnight != subscription.need.window(at: context.now, in: zone).nextMidnight {
                due.append(slot, (.noted, context.now))
            }
        }
    }

    // MARK: - Updates

    func flush(_ context: TaskContext) {
        for (slot, update) in due.drain() { send(update.cause, at: update.at, to: slot, traceParent: nil, context) }
        for (calendar, traceParent) in changed.drain() { sendAll(of: calendar, traceParent: traceParent, context) }
        for (calendar, _) in marked.drain() { sendAll(of: calendar, traceParent: nil, context) }
    }

    private func sendAll(of calendar: Slot<CalendarState>, traceParent: [UInt8]?, _ context: TaskContext) {
        for slot in links.subscriptions(of: calendar) {
            send(.dataChanged, at: context.now, to: slot, traceParent: traceParent, context)
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
            content: SourceContent(
                occurrences: agenda?.occurrences ?? [], windowEnd: agenda?.window.end, origin: state.origin,
                isUnreadable: state.isUnreadable),
            traceParent: traceParent)
        let configurationId = subscriptions.withKey(of: slot) { SubscriptionKey.configurationId(in: $0) }
        context.send(ConfigurationInput.update(update), to: configurationId, at: .configurations)
    }

    // MARK: - Derived from state

    func finishRestore() {
        for slot in subscriptions.slots where subscriptions[slot] != nil {
            let calendarId = subscriptions.withKey(of: slot) { SubscriptionKey.sourceId(in: $0) }
            links.link(slot, to: library.slot(of: calendarId))
        }
        armMidnights()
    }

    func reverted() {
        due.removeAll()
        changed.removeAll()
        marked.removeAll()
        armMidnights()
    }

    private func armMidnights() {
        midnights.removeAll()
        for slot in subscriptions.slots { arm(slot, at: subscriptions[slot]?.lastUpdate?.until) }
    }
}
