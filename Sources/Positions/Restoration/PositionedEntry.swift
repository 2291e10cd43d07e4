/// An entry of a timeline, as far as a restore needs to know it.
public struct PositionedEntry: Hashable, Sendable {
    /// The id of the entry.
    public var id: String
    /// The date of the entry.
    public var date: Instant
    /// The first line of the entry; `nil` means that it has none.
    public var title: String?
    /// The place that the entry names.
    public var location: String?
    /// The series that the entry belongs to: `<calendarId>/<uid>` of its event, as its id has it.
    public var series: String?

    /// An entry of these parts.
    public init(id: String, date: Instant, title: String? = nil, location: String? = nil, series: String? = nil) {
        self.id = id
        self.date = date
        self.title = title
        self.location = location
        self.series = series
    }

    /// An entry of a timeline. Its title is that of its event, or else the name of its vehicle (alias, registration),
    /// or else its message; its location is that of its event, or else of its vehicle.
    public init(_ entry: TimelineEntry) {
        self.init(
            id: entry.id, date: entry.date,
            title: entry.event?.title ?? entry.vehicle?.alias ?? entry.vehicle?.registration ?? entry.message?.text,
            location: entry.event?.location ?? entry.vehicle?.location,
            series: entry.event.map { "\($0.calendarId)/\($0.uid)" })
    }
}
