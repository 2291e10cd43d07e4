import Timelines

/// The events of one calendar, each in its newest version, and which occurrences they come to.
package struct EventCalendar: Sendable {
    private(set) var series: [String: Series] = [:]
    private(set) var index = ReachIndex()
    /// All versions of the events that more than one record holds, by arrival.
    private var versions: [EventKey: [Version]] = [:]

    package init() {}

    /// All events of one UID: the master, and what some instances are instead.
    struct Series: Sendable {
        private(set) var master: Entry?
        private(set) var overrides: [EventTime: Entry] = [:]
        /// The stretch within which the occurrences lie with the leads of their events, whatever the viewer's zone;
        /// `nil` means that there are no events.
        private(set) var reach: ClosedRange<Instant>?

        mutating func set(_ entry: Entry) {
            let known = entry.event.recurrenceId.map { overrides[$0] } ?? master
            if let original = entry.event.recurrenceId { overrides[original] = entry } else { master = entry }
            // There may be thousands of overrides: a new one is added to what is known.
            reach = known == nil ? entry.announcedReach.union(reach) : wholeReach
        }

        mutating func remove(_ original: EventTime?) {
            if let original { overrides[original] = nil } else { master = nil }
            reach = wholeReach
        }
    }

    /// An event with what is reckoned once for all questions. It is a class, as it is large, and a dictionary has room
    /// for twice its values.
    final class Entry: Sendable {
        let event: CalendarEvent
        let recurrence: RecurrenceSet?
        /// The stretch within which all occurrences lie, whatever the viewer's zone.
        let reach: ClosedRange<Instant>
        let holder: Holder?

        init(_ event: CalendarEvent, _ holder: Holder?) {
            self.event = event
            // The event's initialiser has read the lines before.
            recurrence = event.recurrence.isEmpty ? nil : try? RecurrenceSet(lines: event.recurrence)
            reach = event.reach(recurrence)
            self.holder = holder
        }
    }

    /// A record that holds an event.
    package struct Holder: Hashable, Sendable {
        package var record: Int
        /// Rises with each record of the calendar.
        package var arrival: UInt64

        package init(record: Int, arrival: UInt64) {
            self.record = record
            self.arrival = arrival
        }
    }

    private struct Version: Sendable {
        var event: CalendarEvent
        var holder: Holder
    }

    package var isEmpty: Bool { series.isEmpty }

    /// How many events there are, overrides counted.
    package var count: Int {
        series.values.reduce(0) { $0 + ($1.master == nil ? 0 : 1) + $1.overrides.count }
    }

    package subscript(key: EventKey) -> CalendarEvent? { entry(key)?.event }

    private func entry(_ key: EventKey) -> Entry? {
        guard let series = series[key.uid] else { return nil }
        let entry = key.recurrenceId.map { series.overrides[$0] } ?? series.master
        return entry?.event.calendarId == key.calendarId ? entry : nil
    }

    /// All events, by the UTF-8 bytes of their keys' text.
    package var events: [CalendarEvent] {
        series.values.flatMap { series in
            (series.master.map { [$0.event] } ?? []) + series.overrides.values.map(\.event)
        }
        .map { (key: $0.key.text, event: $0) }
        .sorted { $0.key.precedesByUTF8($1.key) }
        .map(\.event)
    }

    // MARK: - Event by event

    /// Takes an event in, unless a newer version of it is there: the highest sequence wins, then the newest
    /// `updatedAt`, then the later to arrive (M4).
    ///
    /// - Returns: true if the calendar has changed.
    @discardableResult
    package mutating func apply(_ event: CalendarEvent) -> Bool {
        if let known = self[event.key], known == event || known.isNewer(than: event) { return false }
        set(event, nil)
        return true
    }

    /// Forgets the event with this key alone: overrides stay when their master goes, and become occurrences of their
    /// own.
    ///
    /// - Returns: true if the calendar has changed.
    @discardableResult
    package mutating func remove(_ key: EventKey) -> Bool {
        guard self[key] != nil else { return false }
        change(key.uid) { $0.remove(key.recurrenceId) }
        return true
    }

    private mutating func set(_ event: CalendarEvent, _ holder: Holder?) {
        change(event.uid) { $0.set(Entry(event, holder)) }
    }

    private mutating func change(_ uid: String, _ body: (inout Series) -> Void) {
        var changed = series.removeValue(forKey: uid) ?? Series()
        let before = changed.reach
        body(&changed)
        index.move(uid, from: before, to: changed.reach)
        if changed.reach != nil { series[uid] = changed }
    }

    // MARK: - Record by record

    /// Takes in what a record holds now, instead of what it held before. Of an event that several records hold the
    /// newest version is shown, by the rule of `apply` in the order of their arrival; when a record lets go of it, the
    /// newest of the others is.
    ///
    /// - Parameters:
    ///   - events: of one calendar, each key once.
    ///   - before: the keys of what the record held, or may have held.
    /// - Returns: the UIDs of the series that have changed.
    package mutating func file(
        _ events: [CalendarEvent], insteadOf before: some Sequence<EventKey>, of holder: Holder
    ) -> Set<String> {
        var changed: Set<String> = []
        let keys = Set(events.map(\.key))
        for key in before where !keys.contains(key) {
            let known = entry(key)
            if let held = versions[key] {
                settle(key, held.filter { $0.holder.record != holder.record })
            } else if known?.holder?.record == holder.record {
                remove(key)
            }
            if known?.event != self[key] { changed.insert(key.uid) }
        }
        for event in events {
            let key = event.key
            let known = entry(key)
            let others =
                versions[key]
                ?? known.flatMap { known in
                    known.holder.map { [Version(event: known.event, holder: $0)] }
                }
            let version = Version(event: event, holder: holder)
            settle(key, (others ?? []).filter { $0.holder.record != holder.record } + [version])
            if known?.event != event, known?.event != self[key] { changed.insert(key.uid) }
        }
        return changed
    }

    private mutating func settle(_ key: EventKey, _ all: [Version]) {
        let all = all.count > 1 ? all.sorted { $0.holder.arrival < $1.holder.arrival } : all
        versions[key] = all.count > 1 ? all : nil
        guard var newest = all.first else {
            remove(key)
            return
        }
        for version in all.dropFirst() where !newest.event.isNewer(than: version.event) { newest = version }
        set(newest.event, newest.holder)
    }
}

extension CalendarEvent {
    /// True if another version of the same event is out of date beside this one: the highest sequence wins, then the
    /// newest `updatedAt`. A bare cancellation says neither; it counts by its arrival.
    package func isNewer(than other: CalendarEvent) -> Bool {
        if isBareCancellation || other.isBareCancellation { return false }
        if sequence != other.sequence { return sequence > other.sequence }
        guard let updatedAt else { return false }
        return other.updatedAt.map { updatedAt > $0 } ?? true
    }

    /// True if the event says that it is cancelled and nothing else, as Google says of a deleted instance.
    private var isBareCancellation: Bool {
        status == .cancelled && sequence == 0 && updatedAt == nil && title.isEmpty
    }
}
