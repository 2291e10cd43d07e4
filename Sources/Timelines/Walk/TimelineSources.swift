/// What a walk knows of vehicles and calendars, and from when on: the stand-in for the pipeline's input topics.
///
/// Pure: the same question has the same answer at any time.
package protocol TimelineSources {
    /// The vehicle as it is known at an instant; nil: nothing has come of it.
    func vehicle(_ vehicleId: String, at instant: Instant) -> Vehicle?

    /// The first instant later than `instant` at which something more comes of the vehicle; nil: nothing does.
    func nextArrival(of vehicleId: String, after instant: Instant) -> Instant?

    /// At least the occurrences of a calendar that the window includes, those that are cancelled left out.
    func occurrences(of calendarId: String, in window: AgendaWindow) -> [Occurrence]
}
