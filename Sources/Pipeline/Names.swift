package import StreamCore

// Everything that a stored byte names, declared once: nodes, state stores, outputs, counters. Numbers never change and
// are never used again; what is new takes the next one.

extension NodeName<SourceMessage> {
    static let vehicles = NodeName(0, "vehicles")
    static let calendars = NodeName(1, "calendars")
}

extension NodeName<ConfigurationInput> {
    static let configurations = NodeName(2, "configurations")
}

extension NodeName<ReloadMessage> {
    static let reloads = NodeName(3, "reloads")
}

extension StoreName<VehicleState> {
    static let vehicles = StoreName(1, "vehicles")
}

extension StoreName<VehicleSubscription> {
    static let vehicleSubscriptions = StoreName(2, "vehicle subscriptions")
}

extension StoreName<CalendarRecordState> {
    static let calendarRecords = StoreName(3, "calendar records")
}

extension StoreName<CalendarState> {
    static let calendars = StoreName(4, "calendars")
}

extension StoreName<CalendarSubscription> {
    static let calendarSubscriptions = StoreName(5, "calendar subscriptions")
}

extension StoreName<ConfigurationState> {
    static let configurations = StoreName(6, "configurations")
}

extension StoreName<CounterState> {
    static let subscriptionCounter = StoreName(7, "subscription counter")
}

extension StoreName<GatheringState> {
    static let reloadGatherings = StoreName(8, "reload gatherings")
}

extension StoreName<BudgetState> {
    static let reloadBudgets = StoreName(9, "reload budgets")
}

extension OutputName {
    package static let timelines = OutputName(0)
    package static let reloads = OutputName(1)
    package static let deadLetters = OutputName(2)
}

extension CounterName {
    /// Telemetry older than what is known.
    package static let lateTelemetry = CounterName(0)
    /// Telemetry observed later than its arrival, which counts as observed at its arrival.
    package static let futureTelemetry = CounterName(1)

    static let all = [lateTelemetry, futureTelemetry]
}
