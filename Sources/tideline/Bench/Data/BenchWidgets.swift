import Messages
import Producers
import Timelines

/// The configurations and events that input topics are filled with.
enum BenchWidgets {
    /// A status widget of a vehicle, on a device of its own.
    static func status(_ number: Int, vehicle: Int) -> SourceRecord {
        configuration(number) { json in
            json.string("kind", "TrackerStatusWidget")
            json.string("family", "systemSmall")
            json.string("recipient", "device-\(number)")
            json.string("vehicleId", "vehicle-\(vehicle)")
            json.string("strategy", "status")
        }
    }

    /// A widget that shows the events of a calendar.
    static func agenda(_ number: Int, calendar: Int) -> SourceRecord {
        configuration(number) { json in
            json.string("kind", "AgendaWidget")
            json.string("recipient", "device-\(number)")
            json.strings("calendarIds", ["calendar-\(calendar)"])
            json.string("strategy", "events")
        }
    }

    static func configurationId(_ number: Int) -> String { "configuration-\(number)" }

    private static func configuration(_ number: Int, _ write: (inout JSONWriter) -> Void) -> SourceRecord {
        let id = configurationId(number)
        var json = JSONWriter(reservingCapacity: 256)
        json.beginObject()
        json.string("configurationId", id)
        write(&json)
        json.endObject()
        return SourceRecord(key: Array(id.utf8), value: json.bytes)
    }

    /// 2026-11-20T07:00:00Z.
    private static let firstStart = Instant(milliseconds: 1_795_158_000_000)

    /// An event of half an hour, a quarter of an hour after the one before of its calendar.
    ///
    /// - Parameter number: its number in the calendar, from 0.
    static func event(_ number: Int, calendar: Int) -> SourceRecord {
        let start = firstStart + .seconds(900 * Int64(number))
        var json = JSONWriter(reservingCapacity: 256)
        json.beginObject()
        json.string("calendarId", "calendar-\(calendar)")
        json.string("uid", "event-\(number)")
        json.string("title", "Appointment \(number)")
        json.instant("start", start)
        json.instant("end", start + .seconds(1800))
        json.endObject()
        return SourceRecord(key: Array("calendar-\(calendar)/event-\(number)".utf8), value: json.bytes)
    }
}

extension BenchFill {
    /// Publishes everything: configurations, then events, then telemetry.
    func publish(to environment: Environment) throws(CommandFailure) {
        let (vehicles, calendars) = (vehicles, calendars)
        let widgets = BenchRecords(configurations) { number in
            calendars > 0
                ? BenchWidgets.agenda(number, calendar: number % calendars)
                : BenchWidgets.status(number, vehicle: number % vehicles)
        }
        try publish(widgets, .configurations, environment)
        if calendars > 0 {
            let records = BenchRecords(events) {
                BenchWidgets.event($0 / calendars, calendar: $0 % calendars)
            }
            try publish(records, .calendarEvents, environment)
        }
        if records > 0 {
            try publish(BenchFleet(vehicles: vehicles, records: records), .telemetry, environment)
        }
    }

    private func publish(
        _ source: any RecordSource, _ content: JSONReplay.Content, _ environment: Environment
    ) throws(CommandFailure) {
        _ = try Publication(environment, content, pacing: .asFastAsPossible).publishWithProgress(source)
    }
}
