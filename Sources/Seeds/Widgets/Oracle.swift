import Agendas
package import Messages
package import RecordLog
import Timelines

/// What the timelines must be at an instant, made directly from the records: no tasks, no subscriptions, no timers.
package struct Oracle: ~Copyable {
    private var configurations: [String: ConfigurationMessage] = [:]
    private var vehicles: [String: Vehicle] = [:]
    private var records = CalendarRecords()
    /// Their newest records could not be read.
    private var unreadableVehicles: Set<String> = []
    private var unreadableCalendars: Set<String> = []
    private var parser = JSONParser()
    private var reader = TelemetryReader()
    private let telemetryFuture: ElapsedTime?

    /// - Parameters:
    ///   - inputs: the records of all topics; those of one vehicle, calendar or configuration in their order.
    ///   - telemetryFuture: what is observed by more than this after its time stamp counts as observed then; `nil` for
    ///     whatever it says. Holds where the clocks of brokers and tasks are one.
    package init(_ inputs: [Record], _ topics: TopicNames, telemetryFuture: ElapsedTime? = nil) {
        self.telemetryFuture = telemetryFuture
        for input in inputs { take(input, topics) }
    }

    package var configurationIds: [String] { configurations.keys.sorted() }

    private mutating func take(_ input: Record, _ topics: TopicNames) {
        let key = input.key ?? []
        switch (input.topic, input.value) {
        case (topics.telemetry, let value?): value.withUnsafeBytes { takeTelemetry($0, key, input.timestamp) }
        case (topics.calendarEvents, let value?): value.withUnsafeBytes { takeEvent($0, key) }
        case (topics.calendarEvents, nil):
            guard let key = key.withUnsafeBytes({ try? EventKey.decode($0) }) else { return }
            records.remove(key.text)
            unreadableCalendars.remove(key.calendarId)
        case (topics.configurations, let value?):
            let message = value.withUnsafeBytes { try? ConfigurationMessage.decode($0, with: &parser) }
            if let message { configurations[message.configurationId] = message }
        case (topics.configurations, nil): configurations[String(decoding: key, as: UTF8.self)] = nil
        default: break
        }
    }

    private mutating func takeTelemetry(_ value: UnsafeRawBufferPointer, _ key: [UInt8], _ arrival: Instant) {
        guard let view = try? reader.read(value) else {
            unreadableVehicles.insert(String(decoding: key, as: UTF8.self))
            return
        }
        let id = String(view.vehicleId)
        var vehicle = vehicles[id] ?? Vehicle(vehicleId: id)
        let isFromFuture = telemetryFuture.map { view.observedAt > arrival + $0 } ?? false
        let outcome = view.apply(to: &vehicle, observedAt: isFromFuture ? arrival : view.observedAt)
        if outcome == .applied { unreadableVehicles.remove(id) }
        vehicles[id] = vehicle
    }

    private mutating func takeEvent(_ value: UnsafeRawBufferPointer, _ key: [UInt8]) {
        let key = key.withUnsafeBytes { CalendarRecordKey($0) }
        var text = key.text
        let batch = text.withUTF8 { key in
            try? CalendarEventMessage.decode(value, key: UnsafeRawBufferPointer(key), with: &parser)
        }
        guard let batch, let event = batch.events.first else {
            if let calendarId = key.calendarId { unreadableCalendars.insert(calendarId) }
            return
        }
        unreadableCalendars.remove(event.calendarId)
        records.file(batch.events, under: batch.form == .event ? event.key.text : key.text)
    }

    /// The timeline that a configuration must have at an instant, made for the first time; `nil` if there is no such
    /// configuration.
    ///
    /// - Parameter isUnreadable: whether a source is; `nil` for what the records say.
    package func record(_ id: String, at: Instant, isUnreadable: Bool? = nil) -> TimelineRecord? {
        switch configurations[id] {
        case nil: return nil
        case .unusable(let unusable):
            let timeline = TimelineProvider.errorTimeline(unusable.problem, at: at, parameters: unusable.parameters)
            return record(id, unusable.kind, unusable.family, unusable.recipient, timeline, at)
        case .usable(let configuration):
            let timeline = TimelineProvider.timeline(for: request(configuration, at, isUnreadable))
            return record(id, configuration.kind, configuration.family, configuration.recipient, timeline, at)
        }
    }

    /// As `TimelineRecord.contentText` of what the pipeline publishes.
    package func contentText(_ id: String, at: Instant) -> String? { record(id, at: at)?.contentText }

    private func request(
        _ configuration: WidgetConfiguration, _ at: Instant, _ isUnreadable: Bool?
    ) -> TimelineRequest {
        let needs = TimelineProvider.needs(of: configuration)
        let zone = LocalCalendar(configuration.timeZone) ?? .utc
        let occurrences = (needs.agenda?.calendarIds ?? []).flatMap { id in
            // Wide enough for every lead of these tests; the strategy takes what its window shows.
            records.calendar(id).occurrences(from: at - .hours(72), to: at + .hours(40 * 24), in: zone)
        }
        let hasUnreadable =
            needs.vehicle.map { unreadableVehicles.contains($0.vehicleId) } ?? false
            || !unreadableCalendars.isDisjoint(with: needs.agenda?.calendarIds ?? [])
        return TimelineRequest(
            configuration: configuration, vehicle: needs.vehicle.flatMap { vehicles[$0.vehicleId] },
            hasUnreadableSource: isUnreadable ?? hasUnreadable, occurrences: occurrences, at: at)
    }

    private func record(
        _ id: String, _ kind: String, _ family: WidgetFamily, _ recipient: String, _ timeline: Timeline, _ at: Instant
    ) -> TimelineRecord {
        TimelineRecord(
            configurationId: id, kind: kind, family: family, recipient: recipient, revision: 1, generatedAt: at,
            timeline: timeline, refreshCount: 1)
    }
}

/// The records of calendars as the topic has them after compaction, in the order in which they came.
private struct CalendarRecords {
    private var records: [(name: String, events: [CalendarEvent])] = []

    mutating func file(_ events: [CalendarEvent], under name: String) {
        let older = records.first { $0.name == name }?.events ?? []
        let merged = events.map { event in
            older.first { $0.key == event.key && $0.isNewer(than: event) } ?? event
        }
        if merged == older { return }
        records.removeAll { $0.name == name }
        records.append((name, merged))
    }

    mutating func remove(_ name: String) {
        records.removeAll { $0.name == name }
    }

    func calendar(_ id: String) -> EventCalendar {
        var calendar = EventCalendar()
        for event in records.flatMap(\.events) where event.calendarId == id { calendar.apply(event) }
        return calendar
    }
}

extension TimelineRecord {
    /// As JSON, without what depends on when and how often it was made: revision, refreshCount, generatedAt, sources.
    package var contentText: String {
        var copy = self
        copy.revision = 1
        copy.refreshCount = 1
        copy.generatedAt = Instant(milliseconds: 0)
        copy.sources = []
        copy.budget = nil
        var json = JSONWriter()
        copy.write(to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
