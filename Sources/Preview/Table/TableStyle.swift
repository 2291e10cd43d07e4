/// How a table is fitted to a terminal.
package struct TableStyle: Hashable, Sendable {
    /// The terminal's width.
    package var columns: Int
    package var isColored: Bool

    package init(columns: Int = 100, isColored: Bool = false) {
        self.columns = columns
        self.isColored = isColored
    }

    /// Select Graphic Rendition codes of ECMA-48.
    enum Emphasis: String {
        case bold = "1"
        case faint = "2"
        /// The entry in force.
        case green = "32"
        case yellow = "33"
    }

    func text(_ text: String, _ emphasis: Emphasis?) -> String {
        guard let emphasis, isColored, !text.isEmpty else { return text }
        return "\u{1b}[\(emphasis.rawValue)m\(text)\u{1b}[0m"
    }

    /// A part of a heading.
    struct Part {
        var text: String
        var emphasis: Emphasis?

        init(_ text: String, _ emphasis: Emphasis? = nil) {
            self.text = DataText.cleaned(text)
            self.emphasis = emphasis
        }
    }

    /// Parts with dots between them, broken between parts, and within one that is wider than the terminal.
    func heading(_ parts: [Part], indent: Int = 0) -> [String] {
        let dot = " · "
        var lines: [String] = []
        var line = String(repeating: " ", count: indent)
        var width = indent
        for (index, part) in parts.enumerated() {
            let separator = index > 0 ? dot : ""
            let whole = DisplayWidth.of(separator) + DisplayWidth.of(part.text)
            if width + whole <= columns {
                line += separator + style(part, part.text)
                width += whole
                continue
            }
            if index > 0 { lines.append(line) }
            let isFirst = index == 0
            for (index, piece) in DisplayWidth.wrapped(part.text, to: columns - 2).enumerated() {
                if index > 0 { lines.append(line) }
                let spaces = isFirst && index == 0 ? indent : 2
                line = String(repeating: " ", count: spaces) + style(part, piece)
                width = spaces + DisplayWidth.of(piece)
            }
        }
        return lines + [line]
    }

    private func style(_ part: Part, _ text: String) -> String { self.text(text, part.emphasis) }
}
