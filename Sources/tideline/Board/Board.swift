import Messages
import Preview
import Timelines

/// A board of timelines as lines of a terminal: a card for each, the latest reloads beside or below.
///
/// Pure: the same state, size and instant make the same lines.
struct Board {
    let state: BoardState
    let text: BoardText

    private static let cardWidthLeast = 34
    private static let cardWidthMost = 60
    private static let reloadsWidth = 31
    /// The width of a terminal from which on reloads stand beside the cards.
    private static let wide = cardWidthLeast * 2 + reloadsWidth + 1

    init(_ state: BoardState, _ calendar: LocalCalendar) {
        self.state = state
        text = BoardText(calendar: calendar)
    }

    /// - Returns: as many lines as the terminal has rows, each exactly as wide as the terminal.
    func lines(columns: Int, rows: Int, at now: Instant) -> [StyledLine] {
        let (columns, rows) = (max(1, columns), max(1, rows))
        let header = header(at: now).fitted(to: columns)
        if rows < 3 { return [header] + Array(repeating: StyledLine().fitted(to: columns), count: rows - 1) }
        let body = rows - 2
        let cards = state.cards
        let isWide = columns >= Self.wide
        // Below the cards, reloads take the rows that cards of this size leave: a heading and two reloads at least, if
        // there is room.
        let reloadRows = isWide ? body : body >= TimelineCard.leastHeight * 2 + 3 ? 3 : 0
        let area = isWide ? columns - Self.reloadsWidth - 1 : columns
        let grid = Grid(cards.count, columns: area, rows: isWide ? body : body - reloadRows)
        var lines = grid.lines(cards) { TimelineCard(record: $0, now: now, text: text) }
        if isWide {
            let reloads = reloads(rows: body, columns: Self.reloadsWidth)
            lines = (0..<body).map { row in
                var line = (row < lines.count ? lines[row] : StyledLine()).fitted(to: area)
                line.append(" ")
                line.append(reloads[row])
                return line
            }
        } else {
            lines += reloads(rows: body - lines.count, columns: columns)
        }
        return [header] + lines.map { $0.fitted(to: columns) } + [footer(cards.count - grid.shown, columns)]
    }

    // MARK: - Header and footer

    private func header(at now: Instant) -> StyledLine {
        let seconds = max(0, (now.milliseconds - state.began.milliseconds) / 1000)
        let tenths = state.timelinesCount * 10 / max(1, Int(seconds))
        var line = StyledLine(" \(state.title)", .bold)
        let counts = [
            BoardText.length(seconds),
            "\(Self.counted(state.timelinesCount, "timeline")) (\(tenths / 10).\(tenths % 10)/s)",
            Self.counted(state.reloadsCount, "reload"), Self.counted(state.records.count, "widget"), state.subtitle,
        ]
        for count in counts where !count.isEmpty { line.append(" · \(count)") }
        return line
    }

    private static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private func footer(_ hidden: Int, _ columns: Int) -> StyledLine {
        var line = StyledLine(" ")
        if hidden > 0 { line.append("\(hidden) more widgets: enlarge the terminal · ", .yellow) }
        if state.notice.isEmpty {
            line.append(state.hint, .faint)
        } else {
            line.append(DataText.cleaned(state.notice), .red)
        }
        return line.fitted(to: columns)
    }

    // MARK: - Reloads

    /// The lines of the reloads: a heading, then the newest first, each on one line if the columns suffice, else on
    /// two.
    private func reloads(rows: Int, columns: Int) -> [StyledLine] {
        guard rows > 0 else { return [] }
        var heading = StyledLine(" Reloads", .bold)
        if state.reloads.isEmpty { heading.append("  none yet", .faint) }
        var lines = [heading]
        for reload in state.reloads {
            let left = "\(reload.budget.remaining) left"
            var first = StyledLine(" \(text.time(reload.issuedAt)) ", .faint)
            first.append(DataText.isolated(reload.recipient), .cyan)
            if columns >= 60 {
                first.append(" \(DataText.isolated(reload.kind)): \(reload.reason.rawValue)")
                lines.append(first.justified(StyledLine(left, .faint), to: columns))
            } else {
                lines.append(first)
                lines.append(StyledLine("  \(reload.reason.rawValue)").justified(StyledLine(left, .faint), to: columns))
            }
            if lines.count >= rows { break }
        }
        let shown = lines.prefix(rows).map { $0.fitted(to: columns) }
        return shown + Array(repeating: StyledLine().fitted(to: columns), count: rows - shown.count)
    }

    // MARK: - Cards

    /// A grid of cards of one size.
    private struct Grid {
        let width: Int
        let height: Int
        let perRow: Int
        /// The number of cards that have room.
        let shown: Int

        init(_ count: Int, columns: Int, rows: Int) {
            perRow = max(1, columns / Board.cardWidthLeast)
            width = min(Board.cardWidthMost, columns / perRow)
            let needed = (count + perRow - 1) / perRow
            height = needed * TimelineCard.fullHeight <= rows ? TimelineCard.fullHeight : TimelineCard.leastHeight
            shown = width < 8 ? 0 : min(count, rows / height * perRow)
        }

        func lines(_ records: [TimelineRecord], _ card: (TimelineRecord) -> TimelineCard) -> [StyledLine] {
            var lines: [StyledLine] = []
            for begin in stride(from: 0, to: shown, by: perRow) {
                let cards = records[begin..<min(begin + perRow, shown)].map {
                    card($0).lines(width: width, height: height)
                }
                for row in 0..<height {
                    var line = StyledLine()
                    for card in cards { line.append(card[row]) }
                    lines.append(line)
                }
            }
            return lines
        }
    }
}
