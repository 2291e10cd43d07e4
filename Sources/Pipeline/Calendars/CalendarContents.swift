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
        /// How many occurrences fit in so many bytes of a message, and their digest.
        private var fits: [Int: (count: Int, digest: UInt64)] = [:]

        init(_ agenda: WindowAgenda) {
            self.agenda = agenda
        }

        /// True if it is the window of a timeline made at `at`.
        func isOf(_ at: Instant) -> Bool { agenda.window.begin <= at && at < agenda.window.nextMidnight }

        mutating func update(_ uids: Set<String>, of events: EventCalendar, _ expanding: (String) -> Void) {
            if agenda.update(uids, of: events, expanding: expanding) { fits = [:] }
        }

        mutating func fitting(in bytesMax: Int) -> Agenda {
            let placed = agenda.placed
            if let (count, digest) = fits[bytesMax] {
                return Agenda(window: agenda.window, digest: digest, placed: placed[..<count])
            }
            let fitting = placed[..<CalendarContents.count(of: placed, fitting: bytesMax)]
            let digest = Occurrence.digest(of: fitting.map(\.occurrence))
            fits[bytesMax] = (fitting.count, digest)
            return Agenda(window: agenda.window, digest: digest, placed: fitting)
        }
    }

    /// The agenda that a subscriber is sent.
    struct Agenda {
        var window: AgendaWindow
        /// The digest of the occurrences.
        var digest: UInt64
        fileprivate var placed: ArraySlice<PlacedOccurrence>

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
    ///   - bytesMax: of the agenda in a message.
    ///   - expanding: is told the UID of each series that is expanded.
    mutating func agenda(
        _ need: SourceNeeds.AgendaNeed, in zone: LocalCalendar, at: Instant, now: Instant, bytesMax: Int,
        expanding: (String) -> Void
    ) -> Agenda {
        bringUp(now: now, expanding)
        let view = View(timeZone: zone.timeZone, days: need.days, preEventLead: need.preEventLead)
        if let known = windows[view]?.firstIndex(where: { $0.isOf(at) }) {
            return windows[view]![known].fitting(in: bytesMax)
        }
        forgetWindows(before: now)
        var window = Window(WindowAgenda(need.window(at: at, in: zone), of: events, expanding: expanding))
        let agenda = window.fitting(in: bytesMax)
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

    /// How many occurrences fit into a message (R11). What is left out could not be shown: so many bytes hold more
    /// than the 500 entries that a timeline has at most, or more than a timeline may be long.
    private static func count(of placed: [PlacedOccurrence], fitting bytesMax: Int) -> Int {
        var bytes = 0
        return placed.prefix { placed in
            let occurrence = placed.occurrence
            bytes += occurrence.title.utf8.count + (occurrence.location?.utf8.count ?? 0)
            bytes += occurrence.uid.utf8.count + occurrence.calendarId.utf8.count + 128
            bytes += occurrence.vehicleId?.utf8.count ?? 0
            return bytes <= bytesMax
        }
        .count
    }
}
