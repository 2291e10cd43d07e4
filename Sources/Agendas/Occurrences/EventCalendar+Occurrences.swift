package import Timelines

/// The occurrences of a calendar in a window.
package struct Agenda: Hashable, Sendable {
    /// By start, calendarId, uid, then by original start.
    package var occurrences: [Occurrence]
    /// The series that are left out, by uid.
    package var problems: [AgendaProblem]
}

/// Why a series is left out of an agenda.
package struct AgendaProblem: Hashable, Sendable {
    package var uid: String
    package var reason: String
}

extension EventCalendar {
    /// The occurrences that overlap `[from, to)`; of one without length, those that start in it. Cancelled ones are
    /// left out.
    ///
    /// - Parameter calendar: the viewer's zone, for floating times and for the days of all-day events.
    package func occurrences(from: Instant, to: Instant, in calendar: LocalCalendar) -> [Occurrence] {
        agenda(from: from, to: to, in: calendar).occurrences
    }

    /// As `occurrences`, with the series that have too many instances to look at (some 100,000).
    package func agenda(from: Instant, to: Instant, in calendar: LocalCalendar) -> Agenda {
        guard from < to else { return Agenda(occurrences: [], problems: []) }
        var placed: [(start: Instant, occurrence: Occurrence)] = []
        var problems: [AgendaProblem] = []
        for uid in index.candidates(from: from, to: to) {
            guard let series = series[uid] else { continue }
            do throws(ExpansionLimit) {
                for occurrence in try series.occurrences(from: from, to: to, in: calendar) {
                    let (start, end) = calendar.interval(of: occurrence.when)
                    guard start < to, end > from || (start == end && start >= from) else { continue }
                    placed.append((start, occurrence))
                }
            } catch {
                problems.append(
                    AgendaProblem(
                        uid: uid,
                        reason: "is left out: more than \(ExpansionLimit.steps) instances would have to be examined"))
            }
        }
        placed.sort { left, right in
            left.start == right.start ? left.occurrence.precedes(right.occurrence) : left.start < right.start
        }
        problems.sort { $0.uid.precedesByUTF8($1.uid) }
        return Agenda(occurrences: placed.map(\.occurrence), problems: problems)
    }
}

extension EventCalendar.Series {
    /// The occurrences that overlap the window, and perhaps some beside it.
    func occurrences(
        from: Instant, to: Instant, in view: LocalCalendar
    ) throws(ExpansionLimit) -> [Occurrence] {
        guard let master else { return overridden(by: nil, overrides(of: nil, view), in: view) }
        if overrides.isEmpty, !master.reaches(from, to) { return [] }
        let expansion = SeriesExpansion(master.event, master.recurrence, viewedIn: view)
        let overrides = overrides(of: expansion, view)
        let later = overrides.filter { $0.value.isThisAndFuture }
            .map { ThisAndFuture($0.value, original: $0.key, of: expansion) }
            .sorted { expansion.instant($0.original) < expansion.instant($1.original) }
        var result: [Occurrence] = []
        if master.event.status != .cancelled, !later.isEmpty || master.reaches(from, to) {
            let replaced = Exclusions(overrides.keys, zone: expansion.zone)
            let before = later.map(\.margin.before).max() ?? .zero
            let after = later.map(\.margin.after).max() ?? .zero
            for instance in try expansion.instances(from: from - before, to: to + after)
            where !replaced.contain(instance.original) {
                let change = later.last { $0.isBefore(instance.original) }
                guard change?.event.status != .cancelled else { continue }
                result.append(
                    Occurrence(
                        change?.event ?? master.event,
                        when: change?.extent(of: instance.original) ?? instance.when,
                        recurrenceId: master.recurrence == nil ? nil : instance.original))
            }
        }
        return result + overridden(by: expansion, overrides, in: view)
    }

    /// The occurrences that overrides make.
    private func overridden(
        by master: SeriesExpansion?, _ overrides: [Occurrence.Moment: CalendarEvent], in view: LocalCalendar
    ) -> [Occurrence] {
        overrides.compactMap { original, event in
            guard event.status != .cancelled, !isObsolete(event), master?.excludes(original) != true else { return nil }
            return Occurrence(
                event, when: SeriesExpansion(event, nil, viewedIn: view).own.when, recurrenceId: original)
        }
    }

    /// True if the whole series was cancelled after the override was made.
    private func isObsolete(_ override: CalendarEvent) -> Bool {
        guard let master = master?.event, master.status == .cancelled else { return false }
        return master.isNewer(than: override)
    }

    /// The overrides by the instances for which they stand. If two name the same instance in different forms, the newer
    /// one counts.
    private func overrides(
        of master: SeriesExpansion?, _ view: LocalCalendar
    ) -> [Occurrence.Moment: CalendarEvent] {
        var newest: [Occurrence.Moment: CalendarEvent] = [:]
        for entry in overrides.values {
            let original = original(of: entry.event, in: master, view)
            if let other = newest[original], other.precedence(over: entry.event) { continue }
            newest[original] = entry.event
        }
        return newest
    }

    private func original(
        of override: CalendarEvent, in master: SeriesExpansion?, _ view: LocalCalendar
    ) -> Occurrence.Moment {
        guard let time = override.recurrenceId else { preconditionFailure("an override names its instance") }
        let zone = override.zone
        if let master { return master.original(RecurrenceSet.Time(time: time, zone: zone)) }
        if case .date(let date) = time { return .date(date) }
        return .instant(time.instant(in: zone ?? view))
    }
}

extension CalendarEvent {
    /// One order of versions, so that the result does not hang on the order of a dictionary.
    fileprivate func precedence(over other: CalendarEvent) -> Bool {
        if isNewer(than: other) { return true }
        return other.isNewer(than: self) ? false : other.key.text.precedesByUTF8(key.text)
    }
}

extension CalendarEvent {
    /// The event's own lead before an occurrence. Its days are local days of the event's zone, if it has one (T10); for
    /// a viewer in another zone they become elapsed time.
    fileprivate func lead(before when: Occurrence.Extent) -> CalendarDuration? {
        guard let preEventLead, preEventLead.days > 0, case .timed(let start, _) = when, let zone
        else { return preEventLead }
        return CalendarDuration(time: start - zone.subtracting(preEventLead, from: start))
    }
}

extension Occurrence {
    fileprivate init(_ event: CalendarEvent, when: Extent, recurrenceId: Moment?) {
        self.init(
            calendarId: event.calendarId, uid: event.uid, recurrenceId: recurrenceId, title: event.title,
            location: event.location, when: when, isTentative: event.status == .tentative,
            preEventLead: event.lead(before: when), vehicleId: event.vehicleId)
    }

    /// True if this occurrence comes first of two that start together: by calendarId, uid, original start.
    func precedes(_ other: Occurrence) -> Bool {
        if !calendarId.isSameByUTF8(as: other.calendarId) { return calendarId.precedesByUTF8(other.calendarId) }
        if !uid.isSameByUTF8(as: other.uid) { return uid.precedesByUTF8(other.uid) }
        return originalText.precedesByUTF8(other.originalText)
    }

    private var originalText: String {
        switch recurrenceId {
        case .instant(let instant): instant.rfc3339
        case .date(let date): date.iso8601
        case nil: ""
        }
    }
}
