import Agendas
import Messages
import SplitMix
package import Timelines

/// The rounds of a fleet as events of its depots' calendars. One round follows upon the other: one is always under way,
/// and another about to begin. There are daily series and tentative events, too. Again and again an event is moved,
/// renamed, cancelled, confirmed or added. An event that has been over for an hour is removed.
///
/// The simulation goes on from the events that the topic holds: same keys, higher sequences. It never ends. Records are
/// due when things happen, for a publisher that paces (`Pacing.realTime`).
package final class SimulatedCalendars: RecordSource {
    private let calendarIds: [String]
    private let vehicles: [String]
    private var generator: SplitMix64
    private var events: [[UInt8]: CalendarEvent] = [:]
    private let schedule: WorldSchedule
    private var now: Instant { schedule.now }

    /// The length of rounds, and the time for which they are announced before.
    private static let length = ReadEntries.length
    private static let lead = CalendarDuration(time: ReadEntries.lead)
    /// The time for which rounds are planned ahead, and the time for which events stay after they are over.
    private static let horizon = ElapsedTime.minutes(24)
    private static let memory = ElapsedTime.hours(1)

    /// - Parameters:
    ///   - fleet: how many vehicles there are, 1 or more.
    ///   - calendarIds: the calendars to fill, one or more.
    ///   - start: when the first events are published.
    ///   - every: the time between two changes, above zero.
    ///   - published: the events of these calendars that the topic holds; the simulation goes on from them.
    ///   - clock: the time of day; a change that is late by more than ten seconds happens now.
    package init(
        fleet: Int, seed: UInt64, calendarIds: [String] = FleetCalendars.all, start: Instant, every: ElapsedTime,
        published: PublishedEvents? = nil, clock: (() -> Instant)? = nil
    ) {
        precondition(fleet > 0 && !calendarIds.isEmpty)
        self.calendarIds = calendarIds
        schedule = WorldSchedule(start: start, interval: every, clock: clock)
        generator = SplitMix64(seed: seed, stream: 1 << 63 | 1)
        vehicles = FleetSimulator.vehicleIds(count: fleet)
        var parser = JSONParser()
        for (key, event) in published?.events ?? [] {
            let known = try? event.value.withUnsafeBytes { try CalendarEventMessage.decode($0, with: &parser) }
            if let known { events[key] = known }
        }
        for (index, calendarId) in calendarIds.enumerated() { addSeries(calendarId, index) }
        planAndRemove()
    }

    package var fractionDone: Double? { nil }

    package func next() -> SourceRecord? {
        schedule.next {
            planAndRemove()
            change()
        }
    }

    // MARK: - What is planned

    private func addSeries(_ calendarId: String, _ index: Int) {
        let zone = "Europe/Berlin"
        add(
            calendarId, "briefing", title: "Drivers' briefing", from: "2026-01-05T0\(6 + index % 3):30:00",
            to: "2026-01-05T0\(6 + index % 3):45:00", timeZone: zone, recurrence: ["RRULE:FREQ=DAILY"])
        add(
            calendarId, "handover", title: "Handover of shifts", from: "2026-01-05T14:00:00", to: "2026-01-05T14:20:00",
            timeZone: zone, recurrence: ["RRULE:FREQ=DAILY", "EXDATE;TZID=Europe/Berlin:20260106T140000"])
        add(
            calendarId, "inspection", title: "Inspection of the lifts", from: "2026-01-07T10:00:00",
            to: "2026-01-07T11:30:00", timeZone: zone, status: .tentative, recurrence: ["RRULE:FREQ=WEEKLY;BYDAY=WE"])
    }

    private func add(
        _ calendarId: String, _ uid: String, title: String, from: String, to: String, timeZone: String,
        status: EventStatus = .confirmed, recurrence: [String]
    ) {
        guard let start = EventTime(text: from), let end = EventTime(text: to) else {
            preconditionFailure("\(from) and \(to) are times")
        }
        plan(calendarId, uid) { () throws(CalendarEventProblem) in
            try CalendarEvent(
                calendarId: calendarId, uid: uid, updatedAt: now, title: title, start: start, end: .at(end),
                timeZone: timeZone, status: status, recurrence: recurrence)
        }
    }

    /// Plans the rounds up to the horizon, and removes what has been over for an hour.
    private func planAndRemove() {
        let (count, ahead) = (calendarIds.count, Self.horizon.milliseconds / FleetCalendars.cycle.milliseconds)
        for (index, calendarId) in calendarIds.enumerated() {
            let first = FleetCalendars.round(at: now, calendar: index, of: count)
            for number in first...first + ahead {
                addRound(
                    number, at: FleetCalendars.start(ofRound: number, calendar: index, of: count), of: calendarId,
                    index)
            }
        }
        let over = events.filter { $0.value.recurrence.isEmpty && $0.value.isOver(by: now - Self.memory) }
        for key in over.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            events[key] = nil
            schedule.append(SourceRecord(key: key, value: nil, due: now))
        }
    }

    private func addRound(_ number: Int64, at start: Instant, of calendarId: String, _ index: Int) {
        let vehicle = vehicles[Int(number % Int64(vehicles.count))]
        plan(calendarId, "round-\(number)") { () throws(CalendarEventProblem) in
            try CalendarEvent(
                calendarId: calendarId, uid: "round-\(number)", updatedAt: now,
                title: "Round \(number % 1000) of \(vehicle)", location: "Gate \(number % 5 + 1)",
                start: .instant(start), end: .at(.instant(start + Self.length)),
                status: number % 5 == 0 ? .tentative : .confirmed, preEventLead: Self.lead, vehicleId: vehicle)
        }
    }

    /// Publishes an event unless it was published before.
    private func plan(_ calendarId: String, _ uid: String, _ make: () throws(CalendarEventProblem) -> CalendarEvent) {
        if events[Array(EventKey(calendarId: calendarId, uid: uid).text.utf8)] == nil { publish(make) }
    }

    private func publish(_ make: () throws(CalendarEventProblem) -> CalendarEvent) {
        do throws(CalendarEventProblem) {
            let event = try make()
            var record = SourceRecord(event)
            record.due = now
            events[record.key] = event
            schedule.append(record)
        } catch {
            preconditionFailure("a planned event is possible: \(error)")
        }
    }

    // MARK: - What happens

    private func change() {
        let action = schedule.change % 5
        if action == 1 { return addUnplanned() }
        let coming = events.values.filter { event in
            guard event.recurrence.isEmpty, event.status != .cancelled, case .instant(let start) = event.start else {
                return false
            }
            return start > now && (action != 0 || event.status == .tentative)
        }
        guard !coming.isEmpty else { return addUnplanned() }
        let event = generator.choose(coming.sorted { $0.key.text.precedesByUTF8($1.key.text) })
        publish { () throws(CalendarEventProblem) in
            switch action {
            case 0: try event.changed(at: now, status: .confirmed)
            case 2: try event.changed(at: now, by: .seconds(Int64(generator.integer(in: 1...4)) * 30))
            case 3: try event.changed(at: now, title: event.title.renamed)
            default: try event.changed(at: now, status: .cancelled)
            }
        }
    }

    /// Publishes an event that begins soon and was not announced.
    private func addUnplanned() {
        let calendarId = generator.choose(calendarIds)
        let start = Instant(milliseconds: (now + .minutes(2)).milliseconds / 60_000 * 60_000)
        let title = generator.choose(["Flat tyre", "Extra delivery", "Driver is ill", "Delivery on demand"])
        let uid = "extra-\(now.milliseconds / 1000)"
        publish { () throws(CalendarEventProblem) in
            try CalendarEvent(
                calendarId: calendarId, uid: uid, updatedAt: now, title: title, start: .instant(start),
                end: .after(.minutes(2)), preEventLead: Self.lead, vehicleId: generator.choose(vehicles))
        }
    }
}

extension CalendarEvent {
    fileprivate func isOver(by instant: Instant) -> Bool {
        guard case .instant(let start) = start else { return false }
        switch end {
        case .at(.instant(let end)): return end <= instant
        case .after(let length): return start + length.nominal <= instant
        default: return start <= instant
        }
    }

    /// The next version of the event.
    fileprivate func changed(
        at now: Instant, by delay: ElapsedTime = .zero, title: String? = nil, status: EventStatus? = nil
    ) throws(CalendarEventProblem) -> CalendarEvent {
        try CalendarEvent(
            calendarId: calendarId, uid: uid, recurrenceId: recurrenceId, sequence: sequence + 1, updatedAt: now,
            title: title ?? self.title, location: location, start: start.delayed(delay), end: end?.delayed(delay),
            timeZone: timeZone, status: status ?? self.status, recurrence: recurrence, preEventLead: preEventLead,
            vehicleId: vehicleId)
    }
}

extension EventTime {
    fileprivate func delayed(_ delay: ElapsedTime) -> EventTime {
        if case .instant(let instant) = self { .instant(instant + delay) } else { self }
    }
}

extension EventEnd {
    fileprivate func delayed(_ delay: ElapsedTime) -> EventEnd {
        if case .at(let end) = self { .at(end.delayed(delay)) } else { self }
    }
}

extension String {
    fileprivate var renamed: String { hasSuffix(" (changed)") ? String(dropLast(10)) : self + " (changed)" }
}
