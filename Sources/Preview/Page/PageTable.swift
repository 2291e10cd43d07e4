internal import Timelines

/// The table below a picture: what a terminal shows, with long walks folded.
struct PageTable {
    private let preview: Preview
    private let steps: [TimelineWalk.Step]
    private let local: LocalText
    /// With more timelines than this the page begins with all of them folded.
    private static let openMax = 12

    init(_ preview: Preview, _ steps: [TimelineWalk.Step]) {
        self.preview = preview
        self.steps = steps
        local = LocalText(preview.configuration)
    }

    func markup() -> String {
        guard preview.until != nil else { return steps.first.map(rows) ?? "" }
        let freshCount = steps.last?.revision ?? 0
        var html = ""
        var unchanged: [TimelineWalk.Step] = []
        var revision: Int64 = 0
        for step in steps {
            if step.revision == revision {
                unchanged.append(step)
                continue
            }
            revision = step.revision
            html += same(unchanged) + details(of: step, isOpen: freshCount <= Self.openMax)
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
        return "<p class=\"same\">\(Markup.escaped(line))</p>\n"
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
