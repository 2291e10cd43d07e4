internal import Timelines

/// A stretch of time over which the same is shown.
struct ShownSegment {
    var begin: Instant
    var end: Instant
    var row: EntryRow
    /// Whether it is shown at the instant for which its timeline was made.
    var isInForce: Bool
    /// Whether a newer timeline has taken its place before it came to be shown.
    var isSuperseded: Bool

    /// The entries of one timeline, each from its date to the next one's.
    static func segments(
        of step: TimelineWalk.Step, rows: [EntryRow], in range: ClosedRange<Instant>, supersededAt: Instant?
    ) -> [ShownSegment] {
        rows.indices.flatMap { index -> [ShownSegment] in
            let row = rows[index]
            let next = index + 1 < rows.count ? rows[index + 1].entry.date : range.upperBound
            let (begin, end) = (max(row.entry.date, range.lowerBound), min(next, range.upperBound))
            guard begin < end else { return [] }
            let whole = ShownSegment(
                begin: begin, end: end, row: row, isInForce: row.isInForce, isSuperseded: false)
            guard let supersededAt, supersededAt < end else { return [whole] }
            guard supersededAt > begin else { return [whole.superseded(from: begin)] }
            var seen = whole
            seen.end = supersededAt
            return [seen, whole.superseded(from: supersededAt)]
        }
    }

    private func superseded(from begin: Instant) -> ShownSegment {
        var segment = self
        segment.begin = begin
        segment.isSuperseded = true
        segment.isInForce = false
        return segment
    }

    /// What a screen shows over a whole walk: of each timeline what is seen until the next one comes; what goes on
    /// unchanged is one stretch.
    static func shown(
        _ steps: [TimelineWalk.Step], _ configuration: WidgetConfiguration, in range: ClosedRange<Instant>
    ) -> [ShownSegment] {
        var shown: [ShownSegment] = []
        for index in steps.indices {
            let step = steps[index]
            let end = index + 1 < steps.count ? steps[index + 1].at : range.upperBound
            let begin = index == 0 ? range.lowerBound : step.at
            guard begin < min(end, range.upperBound) else { continue }
            let rows = EntryRow.rows(of: step, configuration)
            let window = begin...min(end, range.upperBound)
            for segment in segments(of: step, rows: rows, in: window, supersededAt: nil) {
                if let last = shown.last, last.end == segment.begin, last.row.entry.phase == segment.row.entry.phase,
                    last.row.shows == segment.row.shows
                {
                    shown[shown.count - 1].end = segment.end
                } else {
                    shown.append(segment)
                }
            }
        }
        for index in shown.indices { shown[index].isInForce = false }
        if let first = steps.first, let present = shown.lastIndex(where: { $0.begin <= first.at }) {
            shown[present].isInForce = true
        }
        return shown
    }
}
