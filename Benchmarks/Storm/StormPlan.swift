import Foundation
import RecordLog

/// What a run is made of, and the records for it.
///
/// The widgets of the timers are `s0`, `s1`, …, ten of each vehicle; `c…` show the one calendar, `h…` the one vehicle
/// with many subscribers. Probes are vehicles with one widget each, whose changes come while the storm lasts.
struct StormPlan: Sendable {
    var tideline: URL
    var timers: Int
    var subscribers: Int
    /// Each stream thread has one task: what another task owns goes through the exchange.
    let partitions: Int32 = 2
    let probes = 400
    /// Between two records of probes, in milliseconds. Each vehicle comes again after `probes` of them.
    let probeEvery = 50

    static let application = "storm"
    private static let widgetsPerVehicle = 10

    /// How many widgets there are of each sort, by the first letter of their ids.
    var sorts: [(UInt8, Int)] {
        [("s", timers), ("c", subscribers), ("h", subscribers), ("p", probes)].map { ($0.0.utf8.first ?? 0, $0.1) }
    }
    var widgets: Int { sorts.reduce(0) { $0 + $1.1 } }

    // MARK: - Inputs

    /// Calls `write` with the topic, key and value of every record that is there before.
    func fill(_ write: (_ topic: String, _ key: String, _ value: String) throws -> Void) throws {
        let past = Instant.now - .hours(1)
        try write("calendar.events", "all/meeting", event(at: past + .hours(2)))
        for number in 0..<((timers + Self.widgetsPerVehicle - 1) / Self.widgetsPerVehicle) {
            try write("vehicle.telemetry", "v\(number)", telemetry("v\(number)", at: past, isMoving: true))
        }
        try write("vehicle.telemetry", "bus", telemetry("bus", at: past, isMoving: true))
        for number in 0..<probes {
            try write("vehicle.telemetry", "p\(number)", telemetry("p\(number)", at: past, isMoving: false))
            try write("widget.configurations", "p\(number)", widget("p\(number)", of: "p\(number)", every: "P1D"))
        }
        for number in 0..<subscribers {
            try write(
                "widget.configurations", "c\(number)",
                #"{"configurationId":"c\#(number)","kind":"Storm","calendarIds":["all"]}"#)
            try write("widget.configurations", "h\(number)", widget("h\(number)", of: "bus", every: "P1D"))
        }
        for number in 0..<timers {
            let vehicle = "v\(number / Self.widgetsPerVehicle)"
            try write("widget.configurations", "s\(number)", widget("s\(number)", of: vehicle, every: "PT30M"))
        }
    }

    /// After a stop of an hour both its refresh and the silence of its vehicle are due.
    private func widget(_ id: String, of vehicleId: String, every: String) -> String {
        """
        {"configurationId":"\(id)","kind":"Storm","vehicleId":"\(vehicleId)","strategy":{"name":"status",\
        "every":"\(every)","parkedEvery":"\(every)","offlineAfter":"\(every)"}}
        """
    }

    func telemetry(_ vehicleId: String, at instant: Instant, isMoving: Bool) -> String {
        """
        {"vehicleId":"\(vehicleId)","observedAt":"\(instant.rfc3339)","ignition":true,"speed":\(isMoving ? 40 : 0)}
        """
    }

    func event(at start: Instant) -> String {
        """
        {"calendarId":"all","uid":"meeting","title":"All hands","updatedAt":"\(Instant.now.rfc3339)",\
        "start":"\(start.rfc3339)","end":"\((start + .hours(1)).rfc3339)"}
        """
    }
}

extension Instant {
    static var now: Instant { Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

    /// Since 1970.
    var seconds: Double { Double(milliseconds) / 1000 }
}
