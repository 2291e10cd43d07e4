package import Timelines

/// An entry as a table and a page show it.
struct EntryRow {
    var entry: TimelineEntry
    var isInForce: Bool
    /// The local date; empty if it is that of the row before.
    var date: String
    var time: String
    var offset: String
    var shows: String
    var reason: String

    /// The entries of a timeline, in order.
    static func rows(of step: TimelineWalk.Step, _ configuration: WidgetConfiguration) -> [EntryRow] {
        let local = LocalText(configuration)
        let entries = step.timeline.entries
        let inForce = entries.lastIndex { $0.date <= step.at } ?? 0
        var lastDay: String?
        return entries.indices.map { index in
            let entry = entries[index]
            let day = local.day(entry.date)
            defer { lastDay = day }
            let reason = EntryReason.text(of: entry, in: step.timeline, configuration: configuration, at: step.at)
            return EntryRow(
                entry: entry, isInForce: index == inForce, date: day == lastDay ? "" : day,
                time: local.time(entry.date), offset: local.offset(entry.date),
                shows: EntryText(local: local).shows(entry),
                reason: DataText.isolated([entry.event?.title].compactMap(\.self), in: reason))
        }
    }
}

/// The content of an entry in a line. Texts from files are cleaned, and isolated if they are written from the right.
package struct EntryText {
    let local: LocalText

    /// - Parameter calendar: whose local times are written.
    package init(_ calendar: LocalCalendar) {
        self.init(local: LocalText(calendar))
    }

    init(local: LocalText) {
        self.local = local
    }

    /// The most columns that parameters take, and one of them.
    private static let parametersMax = 60
    private static let parameterMax = 24

    package func shows(_ entry: TimelineEntry) -> String {
        var parts: [String] = []
        if let event = entry.event { parts.append(self.event(event, of: entry)) }
        if let ongoing = entry.ongoing, !ongoing.isEmpty {
            parts.append("under way: \(ongoing.map { DataText.isolated($0.title) }.joined(separator: ", "))")
        }
        if let next = entry.next {
            parts.append("next: \(DataText.isolated(next.title)) \(begin(of: next, seenFrom: entry.date))")
        }
        if entry.phase == .day || entry.phase == .end, entry.ongoing?.isEmpty ?? true, entry.next == nil {
            parts.append("nothing more in these days")
        }
        if let vehicle = entry.vehicle, entry.phase != .placeholder { parts.append(self.vehicle(vehicle)) }
        if let values = entry.values, !values.isEmpty {
            parts.append(
                values.map { "\(DataText.isolated($0.name)) \(number($0.value))" }.joined(separator: ", "))
        }
        if let message = entry.message { parts.append(DataText.cleaned(message.text)) }
        // A kind whose entries are only dates shows what its configuration says.
        if parts.isEmpty || entry.phase == .tick, !entry.parameters.isEmpty {
            parts.append(parameters(entry.parameters))
        }
        if entry.isSample { parts.append("(sample)") }
        return parts.joined(separator: " · ")
    }

    private func event(_ event: Occurrence, of entry: TimelineEntry) -> String {
        let title = DataText.isolated(event.title)
        if entry.phase == .end { return "after \(title)" }
        var text = title
        if entry.phase == .preEvent || entry.phase == .tick { text += " \(begin(of: event, seenFrom: entry.date))" }
        if entry.phase == .start, case .timed(let start, let end) = event.when, end > start {
            text += " until \(local.time(end, seenFrom: entry.date))"
        }
        if entry.phase == .start, event.isAllDay { text += ", all day" }
        if let location = event.location, !location.isEmpty { text += ", \(DataText.isolated(location))" }
        return entry.isTentative ? text + " (tentative)" : text
    }

    private func begin(of event: Occurrence, seenFrom date: Instant) -> String {
        switch event.when {
        case .timed(let start, _): local.time(start, seenFrom: date)
        case .allDay(let first, _): local.day(first)
        }
    }

    private func vehicle(_ vehicle: TimelineEntry.VehicleView) -> String {
        let name = vehicle.alias ?? vehicle.registration ?? vehicle.vehicleId
        let speed = vehicle.speed.flatMap { $0 >= 0.5 ? "\(number($0.rounded())) km/h" : nil }
        return [name, vehicle.status, speed, vehicle.location].compactMap(\.self).map(DataText.isolated)
            .joined(separator: ", ")
    }

    private func number(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    /// `health=100.0, name=Spouty`
    private func parameters(_ parameters: Parameters) -> String {
        let texts = parameters.members.map { member in
            let value = text(member.value)
            return "\(DataText.isolated(member.key))=\(Markup.fitted(value, columns: Self.parameterMax) ?? value)"
        }
        let line = texts.joined(separator: ", ")
        return Markup.fitted(line, columns: Self.parametersMax) ?? line
    }

    private func text(_ value: ParameterValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let text): text
        case .string(let text): DataText.isolated(text)
        case .array(let values): values.isEmpty ? "[]" : "[…]"
        case .object(let members): members.isEmpty ? "{}" : "{…}"
        }
    }
}
