/// One way of making timelines (T17 to T25). A strategy is a value: what distinguishes two of a kind is what they
/// store.
///
/// A strategy of your own says which entries there may be, and when the next timeline is due. The provider then applies
/// the rules for every strategy (T1 to T16): order, the entry in force, the limit of the family, identifiers.
///
/// ```swift
/// struct OnTheHour: TimelineStrategy {
///     static let name = "onTheHour"
///
///     func draft(for request: TimelineRequest) -> TimelineDraft {
///         let hours = PeriodicTimelineSchedule(from: Date(timeIntervalSince1970: 0), by: 3600)
///         return TimelineDraft(ticksOf: hours, for: request)
///     }
/// }
/// ```
public protocol TimelineStrategy: Hashable, Sendable {
    /// The name by which configurations and people know the strategy.
    static var name: String { get }

    /// True if the strategy makes its timelines for recipients that are not signed in, too (T13). The default is false.
    static var showsSignedOut: Bool { get }

    /// The moments of the entries, in any order, and the reload policy for a timeline made at `request.at`.
    ///
    /// The draft is a pure function of the request: the same request gives the same draft (T1).
    func draft(for request: TimelineRequest) -> TimelineDraft

    /// What has to be known before a timeline of this configuration can be made, and what to watch for afterwards.
    ///
    /// By default that is what ticks show: the configuration's vehicle, and the events of today and tomorrow (T11).
    func needs(of configuration: WidgetConfiguration) -> SourceNeeds

    /// How long a vehicle may be silent until it counts as `Offline`. By default it is `nil`, which leaves it at half
    /// an hour.
    var offlineAfter: CalendarDuration? { get }

    /// Parameters for entries of configurations that have none of the same key themselves (T8). By default there are
    /// none.
    var parameterDefaults: Parameters { get }
}

extension TimelineStrategy {
    /// Nothing is made for recipients that are not signed in.
    public static var showsSignedOut: Bool { false }
    /// No length of its own, which leaves it at half an hour.
    public var offlineAfter: CalendarDuration? { nil }
    /// No parameters.
    public var parameterDefaults: Parameters { Parameters() }

    /// The configuration's vehicle, and the events of today and tomorrow.
    public func needs(of configuration: WidgetConfiguration) -> SourceNeeds {
        SourceNeeds(
            vehicle: configuration.chosenVehicle.map {
                .init(vehicleId: $0, offlineAfter: offlineAfter?.nominal ?? TimelineRequest.offlineAfterDefault)
            },
            agenda: SourceNeeds.AgendaNeed(ofTicks: configuration))
    }
}
