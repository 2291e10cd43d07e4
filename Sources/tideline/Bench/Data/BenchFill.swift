import Arguments

/// A step of a measurement that `bench` has done by a process of its own.
enum BenchStep: String, CaseIterable, ExpressibleByArgument {
    /// Reads and parses all telemetry, and does nothing else.
    case floor
    case fillFleet = "fill-fleet"
    case fillLargeFleet = "fill-large-fleet"
    case fillTimelines = "fill-timelines"
    case fillState = "fill-state"
    case fillCalendars = "fill-calendars"
    case fillStart = "fill-start"

    var title: String { "tideline bench --step \(rawValue)" }
}

/// What the input topics are filled with for some rows of the table.
struct BenchFill: Equatable, Sendable {
    /// The vehicles that report.
    var vehicles = 0
    /// The configurations; each shows a vehicle, or the calendars have them in turn.
    var configurations = 0
    /// The records of telemetry.
    var records = 0
    var calendars = 0
    /// The events of all calendars together.
    var events = 0

    /// Where the clock of timelines stands: no vehicle counts as silent, for the telemetry begins at six o'clock and
    /// ends before.
    static let clock = "2026-11-20T06:25:00Z"

    /// What a step fills in.
    ///
    /// - Parameter scale: the part of the full amount, more than zero.
    /// - Returns: `nil` for a step that fills nothing in.
    init?(_ step: BenchStep, scale: Double) {
        func part(_ count: Int) -> Int { max(1, Int(Double(count) * scale)) }
        switch step {
        case .floor: return nil
        case .fillFleet:
            (vehicles, configurations, records) = (part(10_000), part(10_000), part(3_000_000))
        case .fillLargeFleet:
            (vehicles, configurations, records) = (part(1_000_000), part(10_000), part(3_000_000))
        case .fillTimelines:
            (vehicles, configurations, records) = (part(500_000), part(500_000), part(2_000_000))
        case .fillState:
            (vehicles, configurations, records) = (part(100_000), part(1_000_000), part(300_000))
        case .fillCalendars:
            (configurations, calendars, events) = (part(1_000) * 5, part(1_000), part(1_000) * 100)
        case .fillStart:
            (vehicles, configurations, records) = (1, 1, 1)
        }
    }
}
