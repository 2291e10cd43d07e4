internal import Timelines

/// What an entry shows, in a line.
struct EntryText {
    let local: LocalText

    func shows(_ entry: TimelineEntry) -> String {
        var parts: [String] = []
        if let event = entry.event { parts.append(self.event(event, of: entry)) }
        if let ongoing = entry.ongoing, !ongoing.isEmpty {
            parts.append("under way: \(ongoing.map(\.title).joined(separator: ", "))")
        }
        if let next = entry.next { parts.append("next: \(next.title) \(begin(of: next, seenFrom: entry.date))") }
        if entry.phase == .day || entry.phase == .end, entry.ongoing?.isEmpty ?? true, entry.next == nil {
            parts.append("nothing more in these days")
        }
        if let vehicle = entry.vehicle, entry.phase != .placeholder { parts.append(self.vehicle(vehicle)) }
        if let values = entry.values {
            parts.append(values.map { "\($0.name) \(number($0.value))" }.joined(separator: ", "))
        }
        if let message = entry.message { parts.append(message.text) }
        if entry.isSample { parts.append("(sample)") }
        return Self.cleaned(parts.joined(separator: " · "))
    }

    private func event(_ event: Occurrence, of entry: TimelineEntry) -> String {
        if entry.phase == .end { return "after \(event.title)" }
        var text = event.title
        if entry.phase == .preEvent || entry.phase == .tick { text += " \(begin(of: event, seenFrom: entry.date))" }
        if entry.phase == .start, case .timed(let start, let end) = event.when, end > start {
            text += " until \(local.time(end, seenFrom: entry.date))"
        }
        if entry.phase == .start, event.isAllDay { text += ", all day" }
        if let location = event.location, !location.isEmpty { text += ", \(location)" }
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
        return [name, vehicle.status, speed, vehicle.location].compactMap(\.self).joined(separator: ", ")
    }

    private func number(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    /// Titles come from anywhere: what would steer a terminal or break a line becomes a space.
    static func cleaned(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            let isControl = scalar.properties.generalCategory == .control || [0x2028, 0x2029].contains(scalar.value)
            result.unicodeScalars.append(isControl ? " " : scalar)
        }
        return result
    }
}
