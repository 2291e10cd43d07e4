/// The calendars of a fleet's depots, which `SimulatedCalendars` fills and agenda widgets of `SimulatedWidgets` show.
package enum FleetCalendars {
    package static let all = ["depot-west", "depot-north", "depot-harbour"]

    /// The one that a vehicle's rounds are in, of index 0 and more.
    static func calendarId(ofVehicle index: Int) -> String { all[index % all.count] }
}
