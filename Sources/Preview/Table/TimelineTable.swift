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
    private var previous: TimelineWalk.Step?
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
        return style.heading(
            [TableStyle.Part(configuration.configurationId, .bold)] + parts.map { TableStyle.Part($0) })
    }

    /// The lines for one more timeline; none yet if it says the same as the one before.
    package mutating func lines(for step: TimelineWalk.Step) -> [String] {
        defer { previous = step }
        count += 1
        if isWalk, step.revision == previous?.revision {
            unchanged.append(step)
            return []
        }
        if step.isVisibleChange { visibleCount += 1 }
        return unchangedLines() + title(of: step) + TableRows(of: step, configuration, style).lines
    }

    /// The lines below the last timeline.
    package mutating func finish() -> [String] {
        let lines = unchangedLines()
        guard isWalk else { return lines }
        let summary = Self.summary(count: count, contents: previous?.revision.rawValue ?? 0, visible: visibleCount)
        let legend = TimelineWalk.Step.legend.flatMap { style.heading([TableStyle.Part($0, .faint)]) }
        return lines + [""] + style.heading([TableStyle.Part(summary)]) + legend
    }

    /// "53 timelines, 6 with new content, 4 visible changes"
    static func summary(of steps: [TimelineWalk.Step]) -> String {
        summary(
            count: steps.count, contents: steps.last?.revision.rawValue ?? 0,
            visible: steps.count { $0.isVisibleChange })
    }

    static func summary(count: Int, contents: Int64, visible: Int) -> String {
        "\(counted(count, "timeline")), \(contents) with new content, \(counted(visible, "visible change"))"
    }

    // MARK: - Titles

    private func title(of step: TimelineWalk.Step) -> [String] {
        let policy = TableStyle.Part("policy \(step.timeline.policy.name)")
        let next = TableStyle.Part(step.nextUpdate(local))
        guard isWalk else {
            return style.heading([TableStyle.Part("made \(local.full(step.at))"), policy, next]) + [""]
        }
        let made = [
            TableStyle.Part(local.full(step.at), .bold), TableStyle.Part(step.cause.description),
            TableStyle.Part("revision \(step.revision)"),
            TableStyle.Part(step.change(after: previous), step.isVisibleChange ? .yellow : nil),
        ]
        return [""] + style.heading(made) + style.heading([policy, next], indent: 2)
    }

    private mutating func unchangedLines() -> [String] {
        defer { unchanged = [] }
        let parts = Self.unchanged(unchanged, local).map { TableStyle.Part($0, .faint) }
        return parts.isEmpty ? [] : style.heading(parts, indent: 2)
    }

    /// The parts of a line about timelines that say the same as the one before them; empty if there are none.
    static func unchanged(_ steps: [TimelineWalk.Step], _ local: LocalText) -> [String] {
        guard let first = steps.first, let last = steps.last else { return [] }
        let times =
            steps.count == 1
            ? local.time(first.at) : "\(local.time(first.at)) … \(local.time(last.at, seenFrom: first.at))"
        return [times, "\(counted(steps.count, "timeline")) without new content", last.nextUpdate(local)]
    }

    private static func counted(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
