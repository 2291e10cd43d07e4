internal import Timelines

/// The table below a picture: what a terminal shows, with long walks folded.
struct PageTable {
    private let preview: Preview
    private let steps: [TimelineWalk.Step]
    private let local: LocalText
    /// Nobody needs a column that is empty in all rows.
    private let showsSomething: Bool
    /// With more timelines than this the page begins with all of them folded.
    private static let openMax = 12
    /// With more than this they are folded by hours, too.
    private static let flatMax = 40

    init(_ preview: Preview, _ steps: [TimelineWalk.Step]) {
        self.preview = preview
        self.steps = steps
        local = LocalText(preview.configuration)
        let text = EntryText(local: local)
        showsSomething = steps.contains { $0.timeline.entries.contains { !text.shows($0).isEmpty } }
    }

    func markup() -> String {
        guard preview.until != nil else { return steps.first.map(rows) ?? "" }
        let freshCount = steps.last?.revision.rawValue ?? 0
        guard freshCount > Self.flatMax else { return list(steps[...], isOpen: freshCount <= Self.openMax) }
        var html = ""
        var rest = steps[...]
        while let first = rest.first {
            let hour = self.hour(first.at)
            let group = rest.prefix { self.hour($0.at) == hour }
            html += """
                <details class="hour">
                <summary>\(Markup.escaped(hour)) \
                <span class="faint">· \(Markup.escaped(summary(of: group)))</span></summary>
                \(list(group, isOpen: false))
                </details>

                """
            rest = rest.dropFirst(group.count)
        }
        return html
    }

    /// The local hour, or in a long walk the day.
    private func hour(_ instant: Instant) -> String {
        guard let first = steps.first, let last = steps.last, last.at - first.at <= .hours(72) else {
            return local.day(instant)
        }
        return "\(local.day(instant)) \(local.time(instant).prefix(3))00 \(local.offset(instant))"
    }

    private func summary(of group: ArraySlice<TimelineWalk.Step>) -> String {
        let before: Revision = group.startIndex == steps.startIndex ? 0 : steps[group.startIndex - 1].revision
        let last = group.last?.revision ?? before
        return TimelineTable.summary(
            count: group.count, contents: last.rawValue - before.rawValue, visible: group.count { $0.isVisibleChange })
    }

    private func list(_ list: ArraySlice<TimelineWalk.Step>, isOpen: Bool) -> String {
        var html = ""
        var unchanged: [TimelineWalk.Step] = []
        var revision: Revision = list.startIndex == steps.startIndex ? 0 : steps[list.startIndex - 1].revision
        for (index, step) in zip(list.indices, list) {
            if step.revision == revision {
                unchanged.append(step)
                continue
            }
            revision = step.revision
            html += same(unchanged) + details(of: step, after: index > 0 ? steps[index - 1] : nil, isOpen: isOpen)
            unchanged = []
        }
        return html + same(unchanged)
    }

    private func details(of step: TimelineWalk.Step, after previous: TimelineWalk.Step?, isOpen: Bool) -> String {
        let name = step.isVisibleChange ? "badge change" : "badge"
        let change = Markup.escaped(step.change(after: previous))
        let rest = "policy \(step.timeline.policy.name), \(step.nextUpdate(local))"
        return """
            <details\(isOpen ? " open" : "")>
            <summary><b>\(Markup.escaped(local.full(step.at)))</b> · \(Markup.escaped(step.cause.description)) · \
            revision \(step.revision) <span class="\(name)">\(change)</span></summary>
            <p class="faint">\(Markup.escaped(rest))</p>
            \(rows(of: step))
            </details>

            """
    }

    private func same(_ unchanged: [TimelineWalk.Step]) -> String {
        let parts = TimelineTable.unchanged(unchanged, local)
        if parts.isEmpty { return "" }
        return "<p class=\"unchanged\">\(Markup.escaped(parts.joined(separator: " · ")))</p>\n"
    }

    private func rows(of step: TimelineWalk.Step) -> String {
        let rows = EntryRow.rows(of: step, preview.configuration).map { row in
            let phase = row.entry.phase.rawValue
            let shows = showsSomething ? "<td class=\"text\">\(Markup.isolatedLine(row.shows))</td>" : ""
            return """
                <tr\(row.isInForce ? " class=\"inforce\"" : "")><td class="mark">\(row.isInForce ? "▶" : "")</td>\
                <td class="date">\(Markup.escaped(row.date))</td>\
                <td class="time">\(Markup.escaped("\(row.time) \(row.offset)"))</td>\
                <td class="phase"><span class="chip \(phase)">\(phase)</span></td>\
                \(shows)<td class="text faint">\(Markup.isolatedLine(row.reason))</td></tr>
                """
        }
        let shows = showsSomething ? "<th>shows</th>" : ""
        return """
            <div class="rows"><table>
            <tr><th class="mark"></th><th class="date">date</th><th class="time">time</th><th class="phase">phase</th>\
            \(shows)<th>because</th></tr>
            \(rows.joined(separator: "\n"))
            </table></div>
            """
    }
}
