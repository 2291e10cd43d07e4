import Messages
import SplitMix
package import Timelines

/// The widgets of a fleet and their changes: configurations of the vehicles of `FleetSimulator` and of the calendars of
/// `SimulatedCalendars`, all at once. Then, again and again, somebody signs out and in again, chooses another vehicle,
/// removes a widget and adds it again, or makes a mistake in a configuration that is mended later.
///
/// The same arguments give the same bytes. The simulation never ends. Records are due when things happen, for a
/// publisher that paces (`Pacing.realTime`).
package final class SimulatedWidgets: RecordSource {
    private var widgets: [Widget]
    private let phones: [String]
    private let vehicles: [String]
    private var generator: SplitMix64
    private let schedule: WorldSchedule
    /// The widgets that become as before, and the change with which each does.
    private var repairs: [(change: Int, widget: Int)] = []

    private static let timeZones = ["Europe/Berlin", "Europe/London", "America/New_York", "Asia/Tokyo", "UTC"]
    private static let agendaFamilies: [WidgetFamily] = [
        .systemMedium, .systemSmall, .systemLarge, .accessoryRectangular, .systemExtraLarge, .accessoryInline,
    ]
    /// The number of changes after which things are as before.
    private static let repairAfter = 2

    /// - Parameters:
    ///   - fleet: how many vehicles there are, 1 or more; each has a status widget on a phone.
    ///   - start: when all of them are published.
    ///   - every: the time between two changes, above zero.
    ///   - clock: the time of day; a change that is late by more than ten seconds happens now.
    package init(fleet: Int, seed: UInt64, start: Instant, every: ElapsedTime, clock: (() -> Instant)? = nil) {
        precondition(fleet > 0)
        schedule = WorldSchedule(start: start, interval: every, clock: clock)
        generator = SplitMix64(seed: seed, stream: 1 << 63)
        let vehicles = FleetSimulator.vehicleIds(count: fleet)
        self.vehicles = vehicles
        // Three vehicles on a phone, with the agenda of their rounds.
        let phones = (0..<(fleet + 2) / 3).map { "phone-" + FleetVehicle.number($0) }
        self.phones = phones
        widgets = vehicles.enumerated().map { index, vehicle in
            var widget = Widget("status-\(vehicle)", kind: "TrackerStatusWidget", recipient: phones[index / 3])
            widget.vehicleId = vehicle
            widget.timeZone = Self.timeZones[index / 3 % Self.timeZones.count]
            if index % 4 == 3 { widget.strategy = .status }
            return widget
        }
        for (index, phone) in phones.enumerated() {
            var widget = Widget("agenda-\(phone)", kind: "AgendaWidget", recipient: phone)
            widget.calendarIds = [FleetCalendars.calendarId(ofVehicle: index)]
            widget.timeZone = Self.timeZones[index % Self.timeZones.count]
            widget.family = Self.agendaFamilies[index % Self.agendaFamilies.count]
            widgets.append(widget)
        }
        for calendarId in FleetCalendars.all {
            var widget = Widget("board-\(calendarId)", kind: "AgendaWidget", recipient: "board-\(calendarId)")
            widget.calendarIds = [calendarId]
            widget.timeZone = "Europe/Berlin"
            widget.family = .systemLarge
            widgets.append(widget)
        }
        for widget in widgets { schedule.append(widget.record(due: start)) }
    }

    package var fractionDone: Double? { nil }

    package func next() -> SourceRecord? {
        schedule.next { change() }
    }

    // MARK: - What happens

    private func change() {
        for repair in repairs where repair.change <= schedule.change { mend(repair.widget) }
        repairs.removeAll { $0.change <= schedule.change }
        switch schedule.change % 4 {
        case 1: signOut()
        case 2: chooseAnotherVehicle()
        case 3: with(pick { $0.isPlain }) { $0.isRemoved = true }
        default: with(pick { $0.isPlain }) { $0.mistake = generator.choose(Widget.Mistake.allCases) }
        }
    }

    private func signOut() {
        let phone = generator.choose(phones)
        for index in widgets.indices where widgets[index].recipient == phone && widgets[index].isPlain {
            with(index) { $0.isSignedIn = false }
        }
    }

    /// One widget shows another vehicle, or none as long as nobody has chosen.
    private func chooseAnotherVehicle() {
        let other = generator.choose(vehicles)
        let isEmpty = generator.happens(0.5)
        guard let index = pick({ $0.isPlain && $0.vehicleId != nil }) else { return }
        with(index) { $0.otherVehicle = isEmpty ? "" : other }
    }

    private func pick(_ isAllowed: (Widget) -> Bool) -> Int? {
        let allowed = widgets.indices.filter { isAllowed(widgets[$0]) }
        return allowed.isEmpty ? nil : generator.choose(allowed)
    }

    private func with(_ index: Int?, _ change: (inout Widget) -> Void) {
        guard let index else { return }
        change(&widgets[index])
        schedule.append(widgets[index].record(due: schedule.now))
        repairs.append((schedule.change + Self.repairAfter, index))
    }

    private func mend(_ index: Int) {
        widgets[index].mend()
        schedule.append(widgets[index].record(due: schedule.now))
    }
}
