import Preview

/// A line of a screen: texts with their emphasis, measured in columns.
struct StyledLine: Hashable {
    /// Select Graphic Rendition codes of ECMA-48.
    enum Emphasis: String {
        case bold = "1"
        case faint = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case blue = "34"
        case cyan = "36"
    }

    private struct Span: Hashable {
        var text: String
        var emphasis: Emphasis?
    }

    private var spans: [Span] = []
    private(set) var width = 0

    init() {}

    init(_ text: String, _ emphasis: Emphasis? = nil) {
        append(text, emphasis)
    }

    /// - Parameter text: a text without characters that control a terminal.
    mutating func append(_ text: String, _ emphasis: Emphasis? = nil) {
        if text.isEmpty { return }
        spans.append(Span(text: text, emphasis: emphasis))
        width += DisplayWidth.of(text)
    }

    mutating func append(_ line: StyledLine) {
        spans += line.spans
        width += line.width
    }

    /// The line with exactly `columns` columns: cut with an ellipsis, or filled.
    ///
    /// - Parameter fill: a character that is one column wide.
    func fitted(to columns: Int, fill: Character = " ", _ emphasis: Emphasis? = nil) -> StyledLine {
        if width > columns { return cut(to: columns) }
        var line = self
        line.append(String(repeating: fill, count: columns - width), emphasis)
        return line
    }

    /// The line at the left and `right` at the right end. The left one is cut if there is no room for both, and `right`
    /// is left out if there is no room for it.
    func justified(_ right: StyledLine, to columns: Int, fill: Character = " ", _ emphasis: Emphasis? = nil)
        -> StyledLine
    {
        guard right.width > 0, right.width + 4 <= columns else { return fitted(to: columns, fill: fill, emphasis) }
        var line = fitted(to: columns - right.width - 1, fill: fill, emphasis)
        line.append(" ")
        line.append(right)
        return line
    }

    private func cut(to columns: Int) -> StyledLine {
        var line = StyledLine()
        for span in spans {
            let room = columns - line.width
            if DisplayWidth.of(span.text) < room {
                line.append(span.text, span.emphasis)
                continue
            }
            // More follows: there is room for an ellipsis at least, unless there is none at all.
            if room > 0 { line.append(DisplayWidth.fitted(span.text + "……", to: room), span.emphasis) }
            break
        }
        return line.fitted(to: max(0, columns))
    }

    func text(isColored: Bool) -> String {
        spans.map { span in
            guard isColored, let emphasis = span.emphasis else { return span.text }
            return "\u{1b}[\(emphasis.rawValue)m\(span.text)\u{1b}[0m"
        }.joined()
    }
}
