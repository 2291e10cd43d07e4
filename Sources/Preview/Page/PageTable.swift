internal import Timelines

/// The table below a picture: what a terminal shows, with long walks folded.
struct PageTable {
    private let preview: Preview
    private let steps: [TimelineWalk.Step]
    private let local: LocalText
    /// With more timelines than this the page begins with all of them folded.
    private static let openMax = 12
    /// With more than this they are folded by hours, too.
    private static let flatMax = 40

    init(_ preview: Preview, _ steps: [TimelineWalk.Step]) {
        self.preview = preview
        self.steps = steps
        local = LocalText(preview.configuration)
    }

    func markup() -> String {
        guard preview.until != nil else { return steps.first.map(rows) ?? "" }
        let freshCount = steps.last?.revision ?? 0
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
        var revision = group.startIndex == steps.startIndex ? 0 : steps[group.startIndex - 1].revision
        revision = (group.last?.revision ?? revision) - revision
        return TimelineTable.summary(
            count: group.count, contents: revision, visible: group.count { $0.isVisibleChange })
    }

    private func list(_ list: ArraySlice<TimelineWalk.Step>, isOpen: Bool) -> String {
        var html = ""
        var unchanged: [TimelineWalk.Step] = []
        var revision = list.startIndex == steps.startIndex ? 0 : steps[list.startIndex - 1].revision
        for step in list {
            if step.revision == revision {
                unchanged.append(step)
                continue
            }
            revision = step.revision
            html += same(unchanged) + details(of: step, isOpen: isOpen)
            unchanged = []
        }
        return html + same(unchanged)
    }

    private func details(of step: TimelineWalk.Step, isOpen: Bool) -> String {
        let badge =
            step.isVisibleChange
            ? "<span class=\"badge change\">visible change</span>" : "<span class=\"badge\">nothing to announce</span>"
        let next = step.timeline.nextUpdate.map { "next update \(local.full($0))" } ?? "no next update"
        let rest = "policy \(step.timeline.policy.name), \(next)"
        return """
            <details\(isOpen ? " open" : "")>
            <summary><b>\(Markup.escaped(local.full(step.at)))</b> · \(Markup.escaped(step.cause.description)) · \
            revision \(step.revision) \(badge)</summary>
            <p class="faint">\(Markup.escaped(rest))</p>
            \(rows(of: step))
            </details>

            """
    }

    private func same(_ unchanged: [TimelineWalk.Step]) -> String {
        guard let line = TimelineTable.unchanged(unchanged, local) else { return "" }
        return "<p class=\"unchanged\">\(Markup.escaped(line))</p>\n"
    }

    private func rows(of step: TimelineWalk.Step) -> String {
        let rows = EntryRow.rows(of: step, preview.configuration).map { row in
            """
            <tr\(row.isInForce ? " class=\"inforce\"" : "")><td class="mark">\(row.isInForce ? "▶" : "")</td>\
            <td class="time">\(Markup.escaped(row.date))</td><td class="time">\(Markup.escaped(row.time))</td>\
            <td><span class="chip \(row.entry.phase.rawValue)">\(row.entry.phase.rawValue)</span></td>\
            <td>\(Markup.escaped(row.shows))</td><td class="faint">\(Markup.escaped(row.reason))</td></tr>
            """
        }
        return """
            <div class="rows"><table>
            <tr><th></th><th>date</th><th>time</th><th>phase</th><th>shows</th><th>because</th></tr>
            \(rows.joined(separator: "\n"))
            </table></div>
            """
    }
}
