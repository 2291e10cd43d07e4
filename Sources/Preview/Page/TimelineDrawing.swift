internal import Timelines

/// A walk as an SVG picture: time from left to right in local time; what is shown, each timeline with new content in a
/// row of its own if they are few, and a tick wherever a timeline is made.
struct TimelineDrawing {
    let steps: [TimelineWalk.Step]
    private let configuration: WidgetConfiguration
    let isWalk: Bool
    let local: LocalText
    let scale: TimeScale
    var svg = ""

    static let left = 104.0
    let width: Double
    private static let right = 16.0
    private static let axisHeight = 58.0
    private static let shownHeight = 50.0
    private static let rowHeight = 24.0
    static let madeHeight = 34.0
    private static let gap = 12.0
    /// More timelines than this cannot be told apart in rows.
    private static let rowsMax = 14

    init(_ steps: [TimelineWalk.Step], of preview: Preview, width: Double) {
        self.steps = steps
        self.width = width
        configuration = preview.configuration
        isWalk = preview.until != nil
        local = LocalText(preview.configuration)
        scale = TimeScale(
            range: TimeScale.range(of: steps, until: preview.until), left: Self.left,
            width: width - Self.right - Self.left)
    }

    /// The element `svg`.
    consuming func markup() -> String {
        let rows = contentSteps
        let rowsHeight = rows.isEmpty ? 0 : Double(rows.count) * Self.rowHeight + Self.gap
        let bottom = Self.axisHeight + Self.shownHeight + Self.gap + rowsHeight + Self.madeHeight
        drawAxis(bottom: bottom)
        var y = Self.axisHeight
        label("shown", y: y + Self.shownHeight / 2)
        draw(ShownSegment.shown(steps, configuration, in: scale.range), y: y, height: Self.shownHeight, isLarge: true)
        y += Self.shownHeight + Self.gap
        for row in rows { y = drawRow(row, y: y) }
        if !rows.isEmpty { y += Self.gap }
        drawMakings(y: y)
        drawNow(bottom: bottom)
        let height = Markup.number(bottom + 8)
        let title = Markup.escaped("Timelines of \(configuration.configurationId)")
        return """
            <svg viewBox="0 0 \(Markup.number(width)) \(height)" role="img" aria-label="\(title)">
            \(svg)</svg>
            """
    }

    /// The timelines with new content and their places in the walk; none if there are too many or only one.
    private var contentSteps: [Int] {
        guard isWalk else { return [] }
        let fresh = steps.indices.filter { $0 == 0 || steps[$0].revision != steps[$0 - 1].revision }
        return fresh.count > 1 && fresh.count <= Self.rowsMax ? fresh : []
    }

    // MARK: - Axis

    private mutating func drawAxis(bottom: Double) {
        for tick in scale.ticks(in: local.calendar) {
            line(at: tick, from: Self.axisHeight - 6, to: bottom, "tick")
            text(local.time(tick), x: scale.x(tick), y: Self.axisHeight - 13, "axis", anchor: "middle")
        }
        let (midnights, every) = scale.midnights(in: local.calendar)
        for (index, day) in midnights.enumerated() where index % every == 0 {
            line(at: day.start, from: 4, to: bottom, "midnight")
            if scale.x(day.start) < width - 90 {
                text(local.day(day.date), x: scale.x(day.start) + 5, y: 15, "day")
            }
        }
        let first = midnights.first.map { scale.x($0.start) } ?? width
        if first > Self.left + 100 {
            text(local.day(scale.range.lowerBound), x: Self.left, y: 15, "day")
        }
        for change in scale.clockChanges(local) {
            line(at: change.at, from: 20, to: bottom, "clock")
            let words = "clocks \(LocalText.offset(change.before)) → \(LocalText.offset(change.after))"
            let isFarRight = scale.x(change.at) > width - 190
            text(
                words, x: scale.x(change.at) + (isFarRight ? -5 : 5), y: 31, "clock",
                anchor: isFarRight ? "end" : "start")
        }
    }

    /// The instant of the preview.
    private mutating func drawNow(bottom: Double) {
        guard let at = steps.first?.at else { return }
        line(at: at, from: Self.axisHeight, to: bottom, "now")
        let x = Markup.number(scale.x(at))
        svg += "<path class=\"now\" d=\"M\(x) \(Markup.number(Self.axisHeight)) l-5 -8 h10 z\">"
        svg += "<title>\(Markup.escaped("at \(local.full(at))"))</title></path>\n"
    }

    // MARK: - Entries

    private mutating func drawRow(_ index: Int, y: Double) -> Double {
        let step = steps[index]
        let superseded = index + 1 < steps.count ? steps[index + 1].at : nil
        // The last entry would go on for ever.
        let lastDate = max(step.at, step.timeline.entries.last?.date ?? step.at)
        let tail = lastDate + ElapsedTime(milliseconds: scale.length.milliseconds / 40)
        let end = max(tail, step.timeline.nextUpdate ?? tail)
        var rows = EntryRow.rows(of: step, configuration)
        // What was in force before it was made is not of this timeline's time.
        for row in rows.indices {
            rows[row].entry.date = max(rows[row].entry.date, min(step.at, scale.range.upperBound))
        }
        var segments = ShownSegment.segments(of: step, rows: rows, in: scale.range, supersededAt: superseded)
        segments.removeAll { $0.begin >= end }
        if let last = segments.indices.last { segments[last].end = min(segments[last].end, end) }
        label(rowLabel(step.at), y: y + Self.rowHeight / 2 - 1)
        draw(segments, y: y, height: Self.rowHeight - 4, isLarge: false)
        return y + Self.rowHeight
    }

    /// The time, with the weekday if the drawing has several days.
    private func rowLabel(_ instant: Instant) -> String {
        scale.length > .hours(26) ? "\(local.day(instant).prefix(3)) \(local.time(instant))" : local.time(instant)
    }

    private mutating func draw(_ segments: [ShownSegment], y: Double, height: Double, isLarge: Bool) {
        for segment in segments {
            let x = scale.x(segment.begin)
            let width = max(0.8, scale.x(segment.end) - x)
            let classes: [String?] = [
                "entry", segment.row.entry.phase.rawValue, segment.isSuperseded ? "superseded" : nil,
                segment.isInForce ? "inforce" : nil, width < 2 ? "hair" : width < 5 ? "thin" : nil,
                segment.row.entry.isStandingStill ? "still" : nil,
            ]
            let names = classes.compactMap(\.self).joined(separator: " ")
            // The outline of the entry in force lies within it: the next one does not cover it.
            let inset = segment.isInForce && width > 4 ? 1.0 : 0
            svg += "<g class=\"\(names)\"><title>\(Markup.escapedLine(tooltip(segment)))</title>"
            svg += "<rect x=\"\(Markup.number(x + inset))\" y=\"\(Markup.number(y + inset))\""
            svg += " width=\"\(Markup.number(width - 2 * inset))\""
            svg += " height=\"\(Markup.number(height - 2 * inset))\""
            svg += " rx=\"\(width < 6 ? 0 : 4)\"/>"
            let columns = Int((width - 12) / 6.4)
            if isLarge {
                words(
                    "\(segment.isInForce ? "▶ " : "")\(segment.row.entry.phase.rawValue)", columns, x, y + 20, "phase")
                words(segment.row.shows, columns, x, y + 37, "shows")
            } else if !segment.isSuperseded {
                words(segment.row.shows, columns, x, y + height / 2 + 4, "shows")
            }
            svg += "</g>\n"
        }
    }

    private mutating func words(_ text: String, _ columns: Int, _ x: Double, _ y: Double, _ name: String) {
        guard let fitted = Markup.fitted(text, columns: columns), !fitted.isEmpty else { return }
        self.text(fitted, x: x + 6, y: y, name)
    }

    private func tooltip(_ segment: ShownSegment) -> String {
        let since = local.full(segment.since)
        let until = segment.until.map { local.time($0, seenFrom: segment.since) }
        let range = until.map { "\(since) … \($0)" } ?? "from \(since) on"
        let note = segment.isSuperseded ? " (a newer timeline came first)" : ""
        let parts = [segment.row.entry.phase.rawValue + note, range, segment.row.shows, segment.row.reason]
        return parts.filter { !$0.isEmpty }.joined(separator: " | ")
    }
}

extension TimelineEntry {
    /// A status of a vehicle that does not move is drawn paler.
    fileprivate var isStandingStill: Bool {
        phase == .status && vehicle?.status != VehicleStatus.moving.rawValue
    }
}

extension TimelineDrawing {
    /// A tick for each timeline that is made; a single timeline has a mark at which the next one is due.
    mutating func drawMakings(y: Double) {
        label("made", y: y + Self.madeHeight / 2)
        let base = y + Self.madeHeight
        var revision: Revision = 0
        for step in steps where step.at <= scale.range.upperBound {
            let isNew = step.revision != revision
            revision = step.revision
            let (name, height) =
                step.isVisibleChange ? ("visible", 26.0) : isNew ? ("fresh", 18.0) : ("same", 9.0)
            let x = Markup.number(scale.x(step.at))
            let next = step.timeline.nextUpdate.map { ", due \(local.time($0, seenFrom: step.at))" } ?? ""
            let title = Markup.escaped(
                "\(local.full(step.at)) | \(step.cause) | revision \(step.revision) | policy"
                    + " \(step.timeline.policy.name)\(next)")
            svg += "<path class=\"making \(name)\" d=\"M\(x) \(Markup.number(base)) v-\(Markup.number(height))\">"
            svg += "<title>\(title)</title></path>\n"
        }
        guard !isWalk, let due = steps.last?.timeline.nextUpdate, due <= scale.range.upperBound, let last = steps.last
        else {
            return
        }
        let x = Markup.number(scale.x(due))
        let title = Markup.escaped("due \(local.full(due)) | policy \(last.timeline.policy.name)")
        svg += "<path class=\"due\" d=\"M\(x) \(Markup.number(base - 8)) l5 -6 l-5 -6 l-5 6 z\">"
        svg += "<title>\(title)</title></path>\n"
        let isFarRight = scale.x(due) > width - 130
        text(
            "due (\(last.timeline.policy.name))", x: scale.x(due) + (isFarRight ? -9 : 9), y: base - 10, "axis",
            anchor: isFarRight ? "end" : "start")
    }
}

/// The elements that a drawing is made of.
extension TimelineDrawing {
    mutating func line(at instant: Instant, from top: Double, to bottom: Double, _ name: String) {
        let x = Markup.number(scale.x(instant))
        svg += "<path class=\"\(name)\" d=\"M\(x) \(Markup.number(top)) V\(Markup.number(bottom))\"/>\n"
    }

    mutating func text(_ text: String, x: Double, y: Double, _ name: String, anchor: String = "start") {
        svg += "<text class=\"\(name)\" x=\"\(Markup.number(x))\" y=\"\(Markup.number(y))\""
        if anchor != "start" { svg += " text-anchor=\"\(anchor)\"" }
        svg += ">\(Markup.escapedLine(text))</text>\n"
    }

    mutating func label(_ name: String, y: Double) {
        text(name, x: Self.left - 12, y: y + 4, "label", anchor: "end")
    }
}
