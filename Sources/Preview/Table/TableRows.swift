internal import Timelines

/// The entries of one timeline in columns, fitted to a terminal. Below 80 columns the reason has a line of its own and
/// the offset is left out if it is the heading's.
struct TableRows {
    private let rows: [EntryRow]
    private let style: TableStyle
    private let isNarrow: Bool
    /// True if the date has a line of its own, too, as there is no room beside it.
    private var isDateAbove = false
    private var date, time, phase, shows, reason: Int
    /// The offset that the heading has.
    private let offset: String

    /// Fewer columns than this are a narrow terminal.
    private static let narrow = 80
    /// The columns that an entry's content, and its reason, get at least if there is room.
    private static let least = 18

    init(of step: TimelineWalk.Step, _ configuration: WidgetConfiguration, _ style: TableStyle) {
        rows = EntryRow.rows(of: step, configuration)
        self.style = style
        isNarrow = style.columns < Self.narrow
        offset = LocalText(configuration).offset(step.at)
        (date, time, phase, shows, reason) = (0, 0, 0, 0, 0)
        for row in rows {
            date = max(date, DisplayWidth.of(row.date))
            time = max(time, DisplayWidth.of(self.time(of: row)))
            phase = max(phase, DisplayWidth.of(row.entry.phase.rawValue))
            shows = max(shows, DisplayWidth.of(row.shows))
            reason = max(reason, DisplayWidth.of(row.reason))
        }
        if isNarrow { fitNarrow() } else { fit() }
    }

    var lines: [String] { rows.flatMap { isNarrow ? narrowLines(of: $0) : lines(of: $0) } }

    private func time(of row: EntryRow) -> String {
        isNarrow && row.offset == offset ? row.time : "\(row.time) \(row.offset)"
    }

    // MARK: - Widths

    /// The mark, and two spaces after each column.
    private mutating func fit() {
        let free = style.columns - (2 + date + 2 + time + 2 + phase + 2 + (shows > 0 ? 2 : 0))
        guard shows + reason > free else { return }
        reason = min(reason, shows > 0 ? max(Self.least, free * 2 / 5) : free)
        shows = min(shows, max(Self.least, free - reason))
    }

    private mutating func fitNarrow() {
        let besideDate = style.columns - (2 + date + 2 + time + 2 + phase + 2)
        isDateAbove = besideDate < Self.least
        shows = isDateAbove ? besideDate + date + 2 : besideDate
        reason = style.columns - reasonIndent
    }

    /// On a narrow terminal the reason begins below the time.
    private var reasonIndent: Int { isDateAbove ? 4 : 2 + date + 2 }

    // MARK: - Lines

    private func lines(of row: EntryRow) -> [String] {
        let shown = DisplayWidth.wrapped(row.shows, to: shows)
        let reasons = DisplayWidth.wrapped(row.reason, to: reason)
        return (0..<max(shown.count, reasons.count)).map { index in
            let text = columns(of: row, index, shown)
            let why = index < reasons.count ? reasons[index] : ""
            if why.isEmpty { return emphasized(text.trimmedEnd, row) }
            return emphasized(text, row) + "  " + style.text(why, .faint)
        }
    }

    private func narrowLines(of row: EntryRow) -> [String] {
        let shown = DisplayWidth.wrapped(row.shows, to: shows)
        let above = isDateAbove && !row.date.isEmpty ? ["  \(row.date)"] : []
        let reasons = DisplayWidth.wrapped(row.reason, to: reason).filter { !$0.isEmpty }
        return above + shown.indices.map { emphasized(columns(of: row, $0, shown).trimmedEnd, row) }
            + reasons.map { String(repeating: " ", count: reasonIndent) + style.text($0, .faint) }
    }

    /// One line of a row without its reason.
    private func columns(of row: EntryRow, _ index: Int, _ shown: [String]) -> String {
        let isFirst = index == 0
        var cells = isDateAbove ? [] : [DisplayWidth.padded(isFirst ? row.date : "", to: date)]
        cells.append(DisplayWidth.padded(isFirst ? time(of: row) : "", to: time))
        cells.append(DisplayWidth.padded(isFirst ? row.entry.phase.rawValue : "", to: phase))
        // Nobody needs a column that is empty in all rows.
        if shows > 0 { cells.append(DisplayWidth.padded(index < shown.count ? shown[index] : "", to: shows)) }
        return (row.isInForce && isFirst ? "▶ " : "  ") + cells.joined(separator: "  ")
    }

    private func emphasized(_ text: String, _ row: EntryRow) -> String {
        row.isInForce ? style.text(text, .green) : text
    }
}

extension String {
    fileprivate var trimmedEnd: String {
        String(prefix(upTo: lastIndex { $0 != " " }.map { index(after: $0) } ?? startIndex))
    }
}
