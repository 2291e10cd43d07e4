internal import Timelines

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
