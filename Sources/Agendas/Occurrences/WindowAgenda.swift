package import Timelines

/// The occurrences of a calendar in a window, kept up while its events change: only what has changed is expanded anew.
package struct WindowAgenda: Sendable {
    package let window: AgendaWindow
    /// The occurrences of the window by start, calendarId, uid, then by original start.
    package private(set) var placed: [PlacedOccurrence] = []

    /// - Parameter expanding: called with the UID of each series that is expanded.
    package init(
        _ window: AgendaWindow, of calendar: EventCalendar, expanding: (_ uid: String) -> Void = { _ in }
    ) {
        self.window = window
        let range = window.range()
        // What an event's own lead adds is in its reach.
        expand(calendar.index.candidates(from: range.lowerBound, to: range.upperBound), of: calendar, expanding)
    }

    /// Expands these series anew.
    ///
    /// - Returns: true if the window shows something else than before.
    @discardableResult
    package mutating func update(
        _ uids: Set<String>, of calendar: EventCalendar, expanding: (_ uid: String) -> Void = { _ in }
    ) -> Bool {
        let before = placed
        placed.removeAll { uids.contains($0.occurrence.uid) }
        expand(uids, of: calendar, expanding)
        return placed != before
    }

    private mutating func expand(_ uids: Set<String>, of calendar: EventCalendar, _ expanding: (String) -> Void) {
        let known = placed.count
        for uid in uids {
            guard let series = calendar.series[uid], let reach = series.reach else { continue }
            let range = window.range(
                lead: [series.longestLead, window.preEventLead].compactMap(\.self).max { $0.nominal < $1.nominal })
            guard reach.lowerBound < range.upperBound, reach.upperBound > range.lowerBound else { continue }
            expanding(uid)
            // One with too many instances to look at has none.
            let found = try? series.occurrences(from: range.lowerBound, to: range.upperBound, in: window.calendar)
            for occurrence in found ?? [] where window.includes(occurrence) {
                let (start, end) = window.calendar.interval(of: occurrence.when)
                placed.append(PlacedOccurrence(occurrence: occurrence, start: start, end: end))
            }
        }
        guard placed.count > known else { return }
        placed.sort { left, right in
            left.start == right.start ? left.occurrence.precedes(right.occurrence) : left.start < right.start
        }
    }
}
