import Preview

/// Names and texts in two columns. A text that is wider than the terminal goes on below itself.
struct NamedLines {
    private let pairs: [(name: String, text: String)]
    private let style: TableStyle

    init(_ pairs: [(name: String, text: String)], style: TableStyle = .ofStandardOutput) {
        self.pairs = pairs
        self.style = style
    }

    var lines: [String] {
        let width = 2 + (pairs.map { DisplayWidth.of($0.name) }.max() ?? 0)
        return pairs.flatMap { pair in
            let pieces = DisplayWidth.wrapped(DataText.isolated(pair.text), to: max(20, style.columns - width))
            return pieces.enumerated().map { index, piece in
                var line = StyledLine(DisplayWidth.padded(index == 0 ? pair.name : "", to: width), .faint)
                line.append(piece)
                return line.text(isColored: style.isColored)
            }
        }
    }
}
