import Timelines

/// A part of a VTIMEZONE, STANDARD or DAYLIGHT: an offset, and when clocks are set to it (RFC 5545 §3.6.5).
struct ZoneObservance {
    /// The first time that clocks are set to it, on the wall before.
    var first: WallClock
    /// Seconds east of UTC, before and from then on.
    var from: Int64
    var to: Int64
    var rules: [RecurrenceRule]
    var dates: [EventTime]

    /// Why a definition can't be used; follows "VTIMEZONE".
    struct Unusable: Error {
        var reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// A part whose lines are still to come.
    struct Draft {
        private var first: WallClock?
        private var from: Int64?
        private var to: Int64?
        private var rules: [RecurrenceRule] = []
        private var dates: [EventTime] = []

        /// Reads a line of the part.
        ///
        /// - Returns: the line as it is kept; `nil` if it says nothing of when clocks change.
        mutating func read(_ line: ContentLine) throws(Unusable) -> String? {
            let value = line.value.uppercased()
            switch line.property {
            case .begin, .end: break
            case .start:
                switch EventTime(basic: value) {
                case .local(let date, let time): first = WallClock(date, time)
                case .date(let date): first = WallClock(date, .midnight)
                case .instant, nil: throw Unusable("has a DTSTART that is no local date-time")
                }
                return first.map { "DTSTART:\($0.basic)" }
            case .rule:
                // Yearly ones alone: all changes of a zone are reckoned, and a rule of each second has no end.
                guard let rule = try? RecurrenceRule(text: value), rule.frequency == .yearly,
                    max(rule.hours.count, rule.minutes.count, rule.seconds.count) <= 1
                else { throw Unusable("changes by a rule that is not yearly") }
                rules.append(rule)
            case .offsetFrom: from = try Self.offset(value)
            case .offsetTo: to = try Self.offset(value)
            case .dates:
                for date in value.split(separator: ",") {
                    guard let time = EventTime(basic: date) else { throw Unusable("has an RDATE that can't be read") }
                    dates.append(time)
                }
            default: return nil
            }
            return "\(line.property.rawValue):\(value)"
        }

        /// The part as a whole.
        ///
        /// - Throws: the line that is missing.
        func observance() throws(Unusable) -> ZoneObservance {
            guard let first else { throw Unusable("has a part without DTSTART") }
            guard let to else { throw Unusable("has a part without TZOFFSETTO") }
            return ZoneObservance(first: first, from: from ?? to, to: to, rules: rules, dates: dates)
        }

        /// Seconds of `+0100` or `-123045`: less than a day.
        private static func offset(_ text: String) throws(Unusable) -> Int64 {
            let digits = text.dropFirst()
            guard text.hasPrefix("+") || text.hasPrefix("-"), digits.utf8.count == 4 || digits.utf8.count == 6,
                digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let hours = Int64(digits.prefix(2)), let minutes = Int64(digits.dropFirst(2).prefix(2)),
                let seconds = Int64("0" + digits.dropFirst(4)), hours < 24, minutes < 60, seconds < 60
            else { throw Unusable("has an offset that can't be read") }
            let offset = (hours * 60 + minutes) * 60 + seconds
            return text.hasPrefix("-") ? -offset : offset
        }
    }

    // MARK: - Changes

    /// The clocks that observances come to. The latest to begin holds; of two that begin together the later in the
    /// text.
    ///
    /// - Throws: a problem if there are more changes than can be reckoned.
    static func calendar(_ name: String, _ parts: [ZoneObservance]) throws(Unusable) -> LocalCalendar {
        var steps = ExpansionLimit.steps
        var onsets: [(at: Instant, from: Int64, to: Int64)] = []
        do throws(ExpansionLimit) {
            for part in parts {
                onsets += try part.onsets(&steps).map { (at: $0, from: part.from, to: part.to) }
            }
        } catch {
            throw Unusable("changes more often than can be reckoned")
        }
        let order = onsets.indices.sorted { (onsets[$0].at, $0) < (onsets[$1].at, $1) }
        var changes: [(at: Instant, offset: ElapsedTime)] = []
        for index in order {
            if changes.last?.at == onsets[index].at { changes.removeLast() }
            changes.append((at: onsets[index].at, offset: .seconds(onsets[index].to)))
        }
        return LocalCalendar(defined: name, first: .seconds(order.first.map { onsets[$0].from } ?? 0), changes: changes)
    }

    /// The stretch of time in which rules are followed.
    private static let window =
        WallClock(
            LocalDate(year: 1890, month: 1, day: 1), .midnight)...WallClock(
            LocalDate(year: 2101, month: 1, day: 1), .midnight)

    /// When clocks are set to it, in no certain order.
    private func onsets(_ steps: inout Int) throws(ExpansionLimit) -> [Instant] {
        let request = StartRequest(
            first: first, window: Self.window, isAllDay: false, exists: { _ in true },
            isUntil: { start, until in
                switch until {
                case .instant(let instant): self.instant(start) <= instant
                case .local(let date, let time): start <= WallClock(date, time)
                case .date(let date): start.date <= date
                }
            })
        steps -= 1 + dates.count
        guard steps >= 0 else { throw ExpansionLimit() }
        var walls = [first]
        for rule in rules { walls += try rule.starts(request, steps: &steps) }
        return walls.map(instant)
            + dates.map { date in
                switch date {
                case .instant(let instant): instant
                case .local(let date, let time): instant(WallClock(date, time))
                case .date(let date): instant(WallClock(date, .midnight))
                }
            }
    }

    private func instant(_ wall: WallClock) -> Instant { Instant(milliseconds: (wall.seconds - from) * 1000) }
}
