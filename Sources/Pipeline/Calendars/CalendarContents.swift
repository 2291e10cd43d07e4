import Agendas
import Timelines

/// A calendar in memory, derived from its records: its events, and what they come to in the windows that are asked for.
/// Subscriptions with the same zone, days and lead share a window; a record that changes expands its own series alone.
struct CalendarContents {
    private(set) var events = EventCalendar()
    private var windows: [View: [Window]] = [:]
    /// Series that have changed since the windows were brought up to date.
    private var stale: Set<String> = []

    /// How subscribers look at a calendar.
    private struct View: Hashable {
        var timeZone: String
        var days: Int
        var preEventLead: CalendarDuration
    }

    private struct Window {
        private(set) var agenda: WindowAgenda
        /// The digest of its occurrences, and their bytes; `nil` if that is to be reckoned anew.
        private var summary: (digest: UInt64, bytes: Int)?

        init(_ agenda: WindowAgenda) {
            self.agenda = agenda
        }

        /// True if it is the window of a timeline made at `at`.
        func isOf(_ at: Instant) -> Bool { agenda.window.begin <= at && at < agenda.window.nextMidnight }

        mutating func update(_ uids: Set<String>, of events: EventCalendar, _ expanding: (String) -> Void) {
            if agenda.update(uids, of: events, expanding: expanding) { summary = nil }
        }

        mutating func shown() -> Agenda {
            let placed = agenda.placed
            let summary = summary ?? Self.summary(of: placed)
            self.summary = summary
            return Agenda(window: agenda.window, digest: summary.digest, bytes: summary.bytes, placed: placed)
        }

        private static func summary(of placed: [PlacedOccurrence]) -> (digest: UInt64, bytes: Int) {
            let occurrences = placed.map(\.occurrence)
            return (Occurrence.digest(of: occurrences), occurrences.reduce(0) { $0 + $1.agendaBytes })
        }
    }

    /// The agenda that a subscriber is sent.
    struct Agenda {
        var window: AgendaWindow
        /// The digest of the occurrences.
        var digest: UInt64
        /// By `Occurrence.agendaBytes`.
        var bytes: Int
        fileprivate var placed: [PlacedOccurrence]

        var occurrences: [Occurrence] { placed.map(\.occurrence) }
    }

    mutating func file(
        _ new: [CalendarEvent], insteadOf before: some Sequence<EventKey>, of holder: EventCalendar.Holder
    ) {
        let changed = events.file(new, insteadOf: before, of: holder)
        if !windows.isEmpty { stale.formUnion(changed) }
    }

    /// - Parameters:
    ///   - at: for when a timeline is to be made.
    ///   - now: windows that are over by then are forgotten.
    ///   - expanding: is told the UID of each series that is expanded.
    mutating func agenda(
        _ need: SourceNeeds.AgendaNeed, in zone: LocalCalendar, at: Instant, now: Instant,
        expanding: (String) -> Void
    ) -> Agenda {
        bringUp(now: now, expanding)
        let view = View(timeZone: zone.timeZone, days: need.days, preEventLead: need.preEventLead)
        if let known = windows[view]?.firstIndex(where: { $0.isOf(at) }) {
            return windows[view]![known].shown()
        }
        forgetWindows(before: now)
        var window = Window(WindowAgenda(need.window(at: at, in: zone), of: events, expanding: expanding))
        let agenda = window.shown()
        windows[view, default: []].append(window)
        return agenda
    }

    private mutating func bringUp(now: Instant, _ expanding: (String) -> Void) {
        if stale.isEmpty { return }
        forgetWindows(before: now)
        for view in windows.values.indices {
            for window in windows.values[view].indices {
                windows.values[view][window].update(stale, of: events, expanding)
            }
        }
        stale.removeAll()
    }

    private mutating func forgetWindows(before now: Instant) {
        for (view, known) in windows {
            let current = known.filter { $0.agenda.window.nextMidnight > now }
            if current.count < known.count { windows[view] = current.isEmpty ? nil : current }
        }
    }
}
