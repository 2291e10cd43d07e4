import SplitMix

package import Timelines

/// A configuration of the day.
struct Widget {
    var vehicle: Int32
    var recipient: Int32
    var kind: String
    /// The members of the JSON object that say what is shown.
    var shows: String
    var signsOut: Bool
}

extension FleetDay {
    /// What the kinds of the day declare: one as all kinds, one with less and slower, one whose renewals are announced.
    package static let kinds: [WidgetKind] = {
        var overview = WidgetKind(kind: "FleetOverview")
        overview.reload.limit = 24
        overview.reload.burst = 6
        overview.reload.coalesce = .seconds(5)
        var trip = WidgetKind(kind: "NextTrip")
        trip.reload.limit = 60
        trip.reload.burst = 5
        trip.reload.scheduled = true
        return [WidgetKind(kind: "VehicleStatus"), overview, trip]
    }()

    /// Two per vehicle. A recipient has one to five of them, of one kind or of several.
    static func widgets(_ scale: Scale, _ numbers: inout SplitMix64) -> [Widget] {
        var widgets: [Widget] = []
        var recipient: Int32 = 0
        var left: Int64 = 0
        for number in 0..<2 * scale.vehicles {
            if left == 0 {
                recipient += 1
                left = 1 + numbers.below(5)
            }
            left -= 1
            let kind = numbers.below(100)
            widgets.append(
                Widget(
                    vehicle: Int32(number / 2), recipient: recipient,
                    kind: kind < 75 ? "VehicleStatus" : kind < 92 ? "FleetOverview" : "NextTrip",
                    shows: shows(vehicle: number / 2, scale, &numbers), signsOut: numbers.happens(2)))
        }
        return widgets
    }

    /// Mostly `status` with long intervals; some are renewed often, some have timers of their own, some calendars.
    private static func shows(vehicle: Int, _ scale: Scale, _ numbers: inout SplitMix64) -> String {
        let calendar = Int(numbers.below(Int64(max(1, scale.vehicles / 50))))
        let strategy: String
        switch numbers.below(100) {
        case ..<86: strategy = status(every: "PT4H", parkedEvery: "PT8H")
        case ..<92: strategy = status(every: "PT20M", parkedEvery: "PT1H")
        case ..<94: strategy = #"{"name": "fetched", "every": "PT1H", "retryAfter": "PT5M", "offlineAfter": "PT2H"}"#
        case ..<96:
            strategy = #"{"name": "withRetry", "inner": \#(status(every: "PT3H", parkedEvery: "PT6H"))}"#
        case ..<97: strategy = #"{"name": "fixedInterval", "every": "PT2H", "span": "PT8H"}"#
        case ..<98: strategy = #"{"name": "dayNight", "dayEvery": "PT1H", "daySpan": "PT4H"}"#
        default: return #""calendarIds": ["calendar-\#(calendar)"], "strategy": "events""#
        }
        return #""vehicleId": "vehicle-\#(vehicle)", "strategy": \#(strategy)"#
    }

    private static func status(every: String, parkedEvery: String) -> String {
        #"{"name": "status", "every": "\#(every)", "parkedEvery": "\#(parkedEvery)", "offlineAfter": "P1D"}"#
    }
}
