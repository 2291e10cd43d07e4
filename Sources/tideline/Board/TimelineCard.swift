import Messages
import Preview
import Timelines

/// A timeline as a card of a board: its configuration, the entry in force, the next entry and its time.
struct TimelineCard {
    let record: TimelineRecord
    let now: Instant
    let text: BoardText

    /// The rows of a card with one line for now and one for next between its two borders.
    static let leastHeight = 4
    /// The rows of a card with two lines for now.
    static let fullHeight = 5

    /// - Parameters:
    ///   - width: of the card with its borders, each line exactly so many columns; at least 8.
    ///   - height: from `leastHeight` to `fullHeight`.
    func lines(width: Int, height: Int) -> [StyledLine] {
        let inner = width - 4
        // `EntryText` names a day that is not the entry's own, so the entry is dated now.
        var entry = current
        entry.date = now
        let shown = EntryText(text.calendar).shows(entry)
        var lines = [border("╭", title, kind, "╮", width)]
        let (mark, emphasis) = Self.mark(of: current)
        // The mark and a space take two columns of each line.
        var wrapped = DisplayWidth.wrapped(shown, to: max(2, inner - 2))
        let room = height - 3
        if wrapped.count > room {
            wrapped = Array(wrapped.prefix(room - 1)) + [wrapped[(room - 1)...].joined(separator: " ")]
        }
        for index in 0..<room {
            var line = StyledLine(index == 0 ? "\(mark) " : "  ", emphasis)
            line.append(index < wrapped.count ? wrapped[index] : "", index == 0 ? emphasis : nil)
            lines.append(bordered(line.fitted(to: inner)))
        }
        let (next, due) = next
        lines.append(bordered(next.justified(due, to: inner)))
        let age = StyledLine("\(BoardText.age(of: record.generatedAt, at: now)) ago", .faint)
        let isWide = revision.width + age.width + 8 <= width
        lines.append(border("╰", isWide ? revision : shortRevision, age, "╯", width))
        return lines
    }

    /// The entry in force: the last one that is not in the future.
    private var current: TimelineEntry {
        let entries = record.timeline.entries
        return entries.last { $0.date <= now } ?? entries[0]
    }

    private var title: StyledLine { StyledLine(DataText.isolated(record.configurationId), .bold) }
    private var kind: StyledLine { StyledLine(DataText.isolated(record.kind), .faint) }

    private var revision: StyledLine {
        var text = "revision \(record.revision)"
        if let budget = record.budget { text += " · \(Self.left(budget))" }
        return StyledLine(text, .faint)
    }

    private var shortRevision: StyledLine {
        StyledLine("r\(record.revision)\(record.budget.map { " · \(Self.left($0))" } ?? "")", .faint)
    }

    /// The reloads that can go out at once. The limit of a day is another number, and would read as the whole of this
    /// one.
    private static func left(_ budget: ReloadBudget) -> String {
        "\(budget.remaining) reload\(budget.remaining == 1 ? "" : "s") left"
    }

    /// The next entry, and how long it takes until then.
    private var next: (StyledLine, StyledLine) {
        var line = StyledLine("next ", .faint)
        let entry = record.timeline.entries.first { $0.date > now }
        if let entry {
            line.append("\(text.time(entry.date)) \(entry.phase.rawValue)", .cyan)
            if let title = (entry.event ?? entry.next)?.title { line.append(" \(DataText.isolated(title))") }
            return (line, StyledLine("in \(BoardText.countdown(from: now, to: entry.date))", .bold))
        }
        guard let update = record.timeline.nextUpdate else {
            return (StyledLine("nothing is due", .faint), StyledLine())
        }
        line.append("\(text.time(update)) made anew", .faint)
        let due = update > now ? "in \(BoardText.countdown(from: now, to: update))" : "due"
        return (line, StyledLine(due, .bold))
    }

    // MARK: - Borders

    private func border(
        _ left: String, _ text: StyledLine, _ right: StyledLine, _ end: String, _ width: Int
    ) -> StyledLine {
        var inner = StyledLine("\(left)─", borderEmphasis)
        inner.append(" ")
        var middle = text
        middle.append(" ")
        let room = width - 6
        let isRoomForBoth = middle.width + right.width + 1 <= room
        inner.append(
            isRoomForBoth
                ? middle.justified(right, to: room, fill: "─", borderEmphasis)
                : text.width <= room ? middle.fitted(to: room, fill: "─", borderEmphasis) : text.fitted(to: room))
        inner.append(isRoomForBoth ? " " : "─", borderEmphasis)
        inner.append("─\(end)", borderEmphasis)
        return inner.fitted(to: width)
    }

    private func bordered(_ line: StyledLine) -> StyledLine {
        var result = StyledLine("│ ", borderEmphasis)
        result.append(line)
        result.append(" │", borderEmphasis)
        return result
    }

    /// The emphasis of the border: a card that was made in the last 1.5 seconds stands out.
    private var borderEmphasis: StyledLine.Emphasis {
        now.milliseconds - record.generatedAt.milliseconds < 1500 ? .blue : .faint
    }

    // MARK: - Marks

    /// The mark of an entry. Marks differ also without colour.
    static func mark(of entry: TimelineEntry) -> (String, StyledLine.Emphasis?) {
        switch entry.phase {
        case .status: mark(of: entry.vehicle?.status)
        case .start: ("●", .green)
        case .preEvent: ("◐", .yellow)
        case .end, .day: ("○", nil)
        case .tick: ("◆", .cyan)
        case .stale: ("◌", .yellow)
        case .placeholder, .signedOut, .selectVehicle: ("◇", .faint)
        case .error: ("✖", .red)
        }
    }

    private static func mark(of status: String?) -> (String, StyledLine.Emphasis?) {
        switch status {
        case "Moving": ("●", .green)
        case "Idling": ("◐", .yellow)
        case "Charging": ("◒", .cyan)
        case "Offline": ("✖", .red)
        default: ("○", nil)
        }
    }
}
