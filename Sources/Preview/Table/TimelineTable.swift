package import Timelines

/// The timelines of one configuration as a table for people, line by line as they are made.
///
/// One timeline: a heading, then its entries. A walk: each timeline whose content is new with its cause, and those that
/// only say the same again in one line.
package struct TimelineTable {
    private let configuration: WidgetConfiguration
    private let style: TableStyle
    private let isWalk: Bool
    private let local: LocalText
    private var count = 0
    private var visibleCount = 0
    private var revision: Int64 = 0
    /// Timelines without new content since the last line.
    private var unchanged: [TimelineWalk.Step] = []

    package init(of preview: Preview, style: TableStyle) {
        configuration = preview.configuration
        self.style = style
        isWalk = preview.until != nil
        local = LocalText(preview.configuration)
    }

    /// The lines above the first timeline.
    package var heading: [String] {
        let parts = [
            configuration.kind, configuration.family.rawValue, "strategy \(type(of: configuration.strategy).name)",
            configuration.timeZone,
        ]
        let title = style.text(EntryText.cleaned(configuration.configurationId), .bold)
        return ["\(title) · \(EntryText.cleaned(parts.joined(separator: " · ")))"]
    }

    /// What is to be written of one more timeline; of one that says the same as the one before nothing yet.
    package mutating func lines(for step: TimelineWalk.Step) -> [String] {
        defer { revision = step.revision }
        count += 1
        if isWalk, step.revision == revision {
            unchanged.append(step)
            return []
        }
        if step.isVisibleChange { visibleCount += 1 }
        return unchangedLines() + title(of: step) + rows(of: step)
    }

    /// The lines below the last timeline.
    package mutating func finish() -> [String] {
        let lines = unchangedLines()
        guard isWalk else { return lines }
        return lines + ["", Self.summary(count: count, contents: revision, visible: visibleCount)]
    }

    /// "53 timelines, 6 with new content, 4 visible changes"
    static func summary(of steps: [TimelineWalk.Step]) -> String {
        summary(
            count: steps.count, contents: steps.last?.revision ?? 0, visible: steps.count { $0.isVisibleChange })
    }

    static func summary(count: Int, contents: Int64, visible: Int) -> String {
        "\(counted(count, "timeline")), \(contents) with new content, \(counted(visible, "visible change"))"
    }

    // MARK: - Titles

    private func title(of step: TimelineWalk.Step) -> [String] {
        let next = step.timeline.nextUpdate.map { "next update \(local.full($0))" } ?? "no next update"
        let policy = "policy \(step.timeline.policy.name)"
        guard isWalk else {
            return ["made \(local.full(step.at)) · \(policy) · \(next)", ""]
        }
        let change = step.isVisibleChange ? style.text("visible change", .yellow) : "nothing to announce"
        let made = style.text(local.full(step.at), .bold)
        return [
            "", "\(made) · \(step.cause) · revision \(step.revision), \(change)", "  \(policy) · \(next)",
        ]
    }

    private mutating func unchangedLines() -> [String] {
        defer { unchanged = [] }
        guard let line = Self.unchanged(unchanged, local) else { return [] }
        return [style.text("  \(line)", .faint)]
    }

    /// Timelines that say the same as the one before them, in a line; nil where there are none.
    static func unchanged(_ steps: [TimelineWalk.Step], _ local: LocalText) -> String? {
        guard let first = steps.first, let last = steps.last else { return nil }
        let times =
            steps.count == 1
            ? local.time(first.at) : "\(local.time(first.at)) … \(local.time(last.at, seenFrom: first.at))"
        let next = last.timeline.nextUpdate.map { "next update \(local.full($0))" } ?? "no next update"
        return "\(times) · \(counted(steps.count, "timeline")) without new content · \(next)"
    }

    private static func counted(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    // MARK: - Rows

    private func rows(of step: TimelineWalk.Step) -> [String] {
        let rows = EntryRow.rows(of: step, configuration)
        let widths = Widths(rows, columns: style.columns)
        return rows.flatMap { lines(of: $0, widths) }
    }

    private struct Widths {
        var date, time, phase, shows, reason: Int

        init(_ rows: [EntryRow], columns: Int) {
            func widest(_ text: (EntryRow) -> String) -> Int { rows.map { DisplayWidth.of(text($0)) }.max() ?? 0 }
            date = widest(\.date)
            time = widest(\.time)
            phase = widest(\.entry.phase.rawValue)
            shows = widest(\.shows)
            reason = widest(\.reason)
            // The mark, and two spaces between columns.
            let free = columns - (2 + date + 2 + time + 2 + phase + 2 + 2)
            guard shows + reason > free else { return }
            reason = min(reason, max(18, free * 2 / 5))
            shows = min(shows, max(18, free - reason))
        }
    }

    private func lines(of row: EntryRow, _ widths: Widths) -> [String] {
        let shows = DisplayWidth.wrapped(row.shows, to: widths.shows)
        let reason = DisplayWidth.wrapped(row.reason, to: widths.reason)
        return (0..<max(shows.count, reason.count)).map { index in
            let isFirst = index == 0
            let cells = [
                DisplayWidth.padded(isFirst ? row.date : "", to: widths.date),
                DisplayWidth.padded(isFirst ? row.time : "", to: widths.time),
                DisplayWidth.padded(isFirst ? row.entry.phase.rawValue : "", to: widths.phase),
                DisplayWidth.padded(index < shows.count ? shows[index] : "", to: widths.shows),
            ]
            let mark = row.isInForce && isFirst ? "▶ " : "  "
            let text = mark + cells.joined(separator: "  ")
            let why = index < reason.count ? reason[index] : ""
            if why.isEmpty { return emphasized(text.trimmedEnd, row) }
            return emphasized(text, row) + "  " + style.text(why, .faint)
        }
    }

    private func emphasized(_ text: String, _ row: EntryRow) -> String {
        row.isInForce ? style.text(text, .green) : text
    }
}

extension String {
    fileprivate var trimmedEnd: String {
        String(prefix(upTo: lastIndex { $0 != " " }.map { index(after: $0) } ?? startIndex))
    }
}
