import Inspection
import Preview
import Timelines

/// Rows in columns, fitted to a terminal: the widest column gives room first, that of the ids last. A column that is
/// empty in all rows is left out.
struct RowTable {
    private let cells: [[String]]
    private let titles: [String]
    private let style: TableStyle
    private static let gap = 2
    private static let least = 6

    init(_ rows: [InspectedRow], columns: [String], style: TableStyle) {
        let shown = columns.filter { name in rows.contains { !$0.text(name).isEmpty } }
        cells = rows.map { row in shown.map { DataText.isolated(Self.short(row.text($0))) } }
        titles = shown
        self.style = style
    }

    var lines: [String] {
        guard !cells.isEmpty else { return [] }
        let widths = widths
        return [line(titles, widths, .faint)] + cells.map { line($0, widths, nil) }
    }

    /// An instant without its milliseconds; any other text as it is.
    private static func short(_ text: String) -> String {
        guard let instant = Instant(rfc3339: text) else { return text }
        let part = (instant.milliseconds % 1000 + 1000) % 1000
        return Instant(milliseconds: instant.milliseconds - part).rfc3339
    }

    private var widths: [Int] {
        var widths = titles.indices.map { column in
            cells.reduce(DisplayWidth.of(titles[column])) { max($0, DisplayWidth.of($1[column])) }
        }
        let room = style.columns - Self.gap * (widths.count - 1)
        while widths.reduce(0, +) > room {
            // The first column names the row: it gives room last.
            let others = widths.indices.dropFirst().max { widths[$0] < widths[$1] }
            guard let index = others.flatMap({ widths[$0] > Self.least ? $0 : nil }) ?? widths.indices.first,
                widths[index] > Self.least
            else { break }
            widths[index] -= 1
        }
        return widths
    }

    private func line(_ texts: [String], _ widths: [Int], _ emphasis: StyledLine.Emphasis?) -> String {
        var line = StyledLine()
        for (column, text) in texts.enumerated() {
            let cell = DisplayWidth.fitted(text, to: widths[column])
            let isLast = column == texts.count - 1
            line.append(isLast ? cell : DisplayWidth.padded(cell, to: widths[column] + Self.gap), emphasis)
        }
        return line.text(isColored: style.isColored)
    }
}
