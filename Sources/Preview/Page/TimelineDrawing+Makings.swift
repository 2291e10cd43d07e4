internal import Timelines

extension TimelineDrawing {
    /// A tick wherever a timeline is made, and where one timeline alone is drawn, a mark where the next is due.
    mutating func drawMakings(y: Double) {
        label("made", y: y + Self.madeHeight / 2)
        let base = y + Self.madeHeight
        var revision: Int64 = 0
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
