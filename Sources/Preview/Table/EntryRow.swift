internal import Timelines

/// An entry as a table and a page show it.
struct EntryRow {
    var entry: TimelineEntry
    var isInForce: Bool
    /// Local; empty where it is the date of the row before.
    var date: String
    var time: String
    var offset: String
    var shows: String
    var reason: String

    /// The entries of a timeline, in order.
    static func rows(of step: TimelineWalk.Step, _ configuration: WidgetConfiguration) -> [EntryRow] {
        let local = LocalText(configuration)
        let entries = step.timeline.entries
        let inForce = entries.lastIndex { $0.date <= step.at } ?? 0
        var lastDay: String?
        return entries.indices.map { index in
            let entry = entries[index]
            let day = local.day(entry.date)
            defer { lastDay = day }
            let reason = EntryReason.text(of: entry, in: step.timeline, configuration: configuration, at: step.at)
            return EntryRow(
                entry: entry, isInForce: index == inForce, date: day == lastDay ? "" : day,
                time: local.time(entry.date), offset: local.offset(entry.date),
                shows: EntryText(local: local).shows(entry),
                reason: DataText.isolated([entry.event?.title].compactMap(\.self), in: reason))
        }
    }
}
