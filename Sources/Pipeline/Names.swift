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

extension StoreName<ReaderState> {
    static let readerPositions = StoreName(10, "reader positions")
}

extension StoreName<EntriesInForce> {
    static let entriesInForce = StoreName(11, "entries in force")
}

extension Origin {
    /// True if the record is of `timeline.positions`: the index of the source in `Topology.widgets`.
    var isOfPosition: Bool { source == 3 }
}

extension OutputName {
    package static let timelines = OutputName(0)
    package static let reloads = OutputName(1)
    package static let deadLetters = OutputName(2)
    package static let positionsMerged = OutputName(3)
}

extension CounterName {
    /// Telemetry older than what is known.
    package static let lateTelemetry = CounterName(0)
    /// Telemetry observed later than its arrival, which counts as observed at its arrival.
    package static let futureTelemetry = CounterName(1)
    /// Positions of which everything was known, or newer things were.
    package static let latePositions = CounterName(2)
    /// Positions dated so far after their arrival that they were moved back to it.
    package static let futurePositions = CounterName(3)
    /// Records of positions that were not used because positions are off.
    package static let refusedPositions = CounterName(4)
    /// Places and marks that were forgotten because of their age.
    package static let expiredPositions = CounterName(5)
    /// Places and marks that were forgotten because a reader's merged record, or state, would have been too large.
    package static let trimmedPositions = CounterName(6)

    /// Timelines that say that what was to be shown, or the events to make it of, were too large.
    package static let tooLargeTimelines = CounterName(7)

    static let all = [
        lateTelemetry, futureTelemetry, latePositions, futurePositions, refusedPositions, expiredPositions,
        trimmedPositions, tooLargeTimelines,
    ]
}
