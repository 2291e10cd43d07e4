package import Timelines

/// Timelines as a page for a browser: one HTML file without scripts and without anything from outside.
package struct TimelinePage {
    private let run: PreviewRun
    private var sections = ""
    private var count = 0

    package init(of run: PreviewRun) {
        self.run = run
    }

    /// Adds the timelines of one configuration, all of them at once: a picture needs to know where it ends.
    package mutating func add(_ preview: Preview, _ steps: [TimelineWalk.Step]) {
        count += 1
        let configuration = preview.configuration
        let facts = [
            configuration.kind, configuration.family.rawValue, "strategy \(type(of: configuration.strategy).name)",
            configuration.timeZone,
        ]
        sections += """
            <section>
            <h2>\(Markup.escaped(configuration.configurationId))</h2>
            <p class="faint">\(Markup.escaped(facts.joined(separator: " · ")))</p>
            <p class="faint">\(Markup.escaped(summary(of: preview, steps)))</p>
            <div class="picture">
            \(TimelineDrawing(steps, of: preview, width: 1096).markup())
            </div>
            <div class="wide picture">
            \(TimelineDrawing(steps, of: preview, width: 2240).markup())
            </div>
            \(legend(of: preview, steps))
            \(PageTable(preview, steps).markup())
            </section>

            """
    }

    /// The file.
    package var html: String {
        let phases = TimelineEntry.Phase.allCases.map(\.rawValue)
        let title = "Timelines from \(run.at.rfc3339)" + (run.until.map { " to \($0.rfc3339)" } ?? "")
        let kind = run.isSnapshot ? "Snapshots" : run.until == nil ? "The timeline" : "All timelines"
        let what = "\(kind) of \(count) configuration\(count == 1 ? "" : "s"), in local time"
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(Markup.escaped(title))</title>
            <style>
            \(PageStyle.css)
            \(PageStyle.colors(of: phases))
            </style>
            </head>
            <body>
            <main>
            <h1>\(Markup.escaped(title))</h1>
            <p class="faint">\(Markup.escaped(what))</p>
            \(sections)</main>
            </body>
            </html>

            """
    }

    private func summary(of preview: Preview, _ steps: [TimelineWalk.Step]) -> String {
        let local = LocalText(preview.configuration)
        guard preview.until == nil, let step = steps.first else { return TimelineTable.summary(of: steps) }
        return "made \(local.full(step.at)) · policy \(step.timeline.policy.name) · \(step.nextUpdate(local))"
    }

    private func legend(of preview: Preview, _ steps: [TimelineWalk.Step]) -> String {
        let seen = Set(steps.lazy.flatMap { $0.timeline.entries.lazy.map(\.phase) })
        var items = TimelineEntry.Phase.allCases.filter(seen.contains).map {
            "<span><i class=\"\($0.rawValue)\"></i>\($0.rawValue)\($0 == .status ? " (pale: not moving)" : "")</span>"
        }
        if preview.until != nil {
            items += [
                "<span><i class=\"bar visible\"></i>visible change: reload</span>",
                "<span><i class=\"bar fresh\"></i>new content, no reload</span>",
                "<span><i class=\"bar same\"></i>made again, the same</span>",
            ]
        }
        let words =
            preview.until == nil ? [] : TimelineWalk.Step.legend.map { "<p class=\"note\">\(Markup.escaped($0))</p>" }
        return (["<p class=\"legend\">\(items.joined(separator: "\n"))</p>"] + words).joined(separator: "\n")
    }
}
