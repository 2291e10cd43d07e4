internal import Timelines

/// A stretch of time over which the same is shown.
struct ShownSegment {
    /// The stretch as it is drawn.
    var begin: Instant
    var end: Instant
    /// The instant from which on it is shown: before `begin` if the drawing begins later.
    var since: Instant
    /// The instant until which it is shown, as far as is known: after `end` if the drawing ends before; `nil` if
    /// nothing comes after it.
    var until: Instant?
    var row: EntryRow
    /// True if it is shown at the instant for which its timeline was made.
    var isInForce: Bool
    /// True if a newer timeline took its place before it was shown.
    var isSuperseded: Bool

    /// The entries of one timeline, each from its date to the next one's.
    static func segments(
        of step: TimelineWalk.Step, rows: [EntryRow], in range: ClosedRange<Instant>, supersededAt: Instant?
    ) -> [ShownSegment] {
        rows.indices.flatMap { index -> [ShownSegment] in
            let row = rows[index]
            let next = index + 1 < rows.count ? rows[index + 1].entry.date : nil
            let begin = max(row.entry.date, range.lowerBound)
            let end = min(next ?? range.upperBound, range.upperBound)
            guard begin < end else { return [] }
            let whole = ShownSegment(
                begin: begin, end: end, since: row.entry.date, until: next, row: row, isInForce: row.isInForce,
                isSuperseded: false)
            guard let supersededAt, supersededAt < end else { return [whole] }
            guard supersededAt > begin else { return [whole.superseded(from: begin)] }
            var seen = whole
            seen.end = supersededAt
            seen.until = supersededAt
            return [seen, whole.superseded(from: supersededAt)]
        }
    }

    private func superseded(from begin: Instant) -> ShownSegment {
        var segment = self
        segment.begin = begin
        segment.since = max(since, begin)
        segment.isSuperseded = true
        segment.isInForce = false
        return segment
    }

    /// The stretches that a screen shows over a whole walk: each timeline until the next one comes. An entry that a
    /// newer timeline goes on with is one stretch.
    static func shown(
        _ steps: [TimelineWalk.Step], _ configuration: WidgetConfiguration, in range: ClosedRange<Instant>
    ) -> [ShownSegment] {
        var shown: [ShownSegment] = []
        for index in steps.indices {
            let step = steps[index]
            let newer = index + 1 < steps.count ? steps[index + 1].at : nil
            let begin = index == 0 ? range.lowerBound : step.at
            let end = min(newer ?? range.upperBound, range.upperBound)
            guard begin < end else { continue }
            var stretches = segments(
                of: step, rows: EntryRow.rows(of: step, configuration), in: begin...end, supersededAt: nil)
            guard let final = stretches.indices.last else { continue }
            if let newer { stretches[final].until = min(newer, stretches[final].until ?? newer) }
            if index > 0 { stretches[0].since = max(stretches[0].since, step.at) }
            if index > 0, let last = shown.indices.last, stretches[0].continues(shown[last], step, steps[index - 1]) {
                shown[last].end = stretches[0].end
                shown[last].until = stretches[0].until
                stretches.removeFirst()
            }
            shown += stretches
        }
        for index in shown.indices { shown[index].isInForce = false }
        if let first = steps.first, let present = shown.lastIndex(where: { $0.begin <= first.at }) {
            shown[present].isInForce = true
        }
        return shown
    }

    /// True if this, the first of a timeline, is what the timeline before it showed last.
    private func continues(
        _ last: ShownSegment, _ step: TimelineWalk.Step, _ previous: TimelineWalk.Step
    ) -> Bool {
        guard last.end == begin, last.row.entry.phase == row.entry.phase, last.row.shows == row.shows else {
            return false
        }
        if last.row.entry.id == row.entry.id { return true }
        // The same content, unless an entry begins just then that only looks like the one before it.
        return step.revision == previous.revision && !previous.timeline.entries.contains { $0.date == step.at }
    }
}
