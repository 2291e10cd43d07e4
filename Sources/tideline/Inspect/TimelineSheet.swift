import Foundation
import Inspection
import Messages
import Preview
import Timelines

/// A timeline on paper: its card, all entries with their countdowns, and what it is made of.
struct TimelineSheet {
    private let shown: ShownTimeline
    private let now: Instant
    private let style: TableStyle
    private let calendar = LocalCalendar(TimeZone.current.identifier) ?? .utc

    init(_ shown: ShownTimeline, at now: Instant, style: TableStyle) {
        self.shown = shown
        self.now = now
        self.style = style
    }

    var lines: [String] {
        let width = min(style.columns, 80)
        let card = TimelineCard(record: shown.record, now: now, text: BoardText(calendar: calendar))
        let top = card.lines(width: width, height: TimelineCard.fullHeight)
        return (top + [StyledLine()] + entries + [StyledLine()] + facts).map { $0.text(isColored: style.isColored) }
    }

    private var entries: [StyledLine] {
        let current = shown.current(at: now)
        let text = EntryText(calendar)
        return shown.record.timeline.entries.map { entry in
            let isInForce = entry == current
            var line = StyledLine(isInForce ? "▶ " : "  ", isInForce ? .green : nil)
            line.append("\(moment(entry.date))  ", isInForce ? .green : nil)
            let due = isInForce ? "now" : entry.date <= now ? "past" : "in \(countdown(to: entry.date))"
            line.append(DisplayWidth.padded(due, to: 14), .faint)
            line.append(DisplayWidth.padded(entry.phase.rawValue, to: 13), isInForce ? .green : nil)
            line.append(text.shows(entry))
            return line.width > style.columns ? line.fitted(to: style.columns) : line
        }
    }

    private var facts: [StyledLine] {
        let record = shown.record
        var lines: [StyledLine] = []
        func add(_ name: String, _ text: String) {
            var line = StyledLine(DisplayWidth.padded(name, to: 13), .faint)
            line.append(DataText.cleaned(text))
            lines.append(line)
        }
        add("generated", "\(moment(record.generatedAt)), \(BoardText.age(of: record.generatedAt, at: now)) ago")
        if let update = record.timeline.nextUpdate {
            add("made anew", "\(moment(update)), \(update > now ? "in \(countdown(to: update))" : "due")")
        } else {
            add("made anew", "when something changes")
        }
        if let until = record.timeline.validUntil { add("valid until", moment(until)) }
        if let budget = record.budget {
            add(
                "budget",
                "\(budget.remaining) left when it was made, \(budget.limit) a day; full at \(moment(budget.resetsAt))")
        }
        if let reload = shown.reload {
            add(
                "reload",
                "\(moment(reload.reload.issuedAt)), \(reload.reload.reason.rawValue), revision"
                    + " \(reload.reload.revision), \(reload.place.text)")
        } else {
            add("reload", "none in the topic")
        }
        add("timeline", shown.place.text)
        if record.sources.isEmpty { add("sources", "none") }
        for (index, source) in record.sources.enumerated() { add(index == 0 ? "sources" : "", source.text) }
        return lines
    }

    /// The local date and time.
    private func moment(_ instant: Instant) -> String {
        "\(calendar.date(at: instant).iso8601) \(BoardText(calendar: calendar).time(instant))"
    }

    private func countdown(to instant: Instant) -> String { BoardText.countdown(from: now, to: instant) }
}
