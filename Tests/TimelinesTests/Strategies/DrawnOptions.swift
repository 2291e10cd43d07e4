import TestSupport
import Timelines

/// Options of any strategy, drawn within their bounds and more often near them.
struct DrawnOptions {
    var numbers: SplitMix64

    /// Of a strategy, or of the strategy `schedule` with the schedule of that name.
    static func isSchedule(_ name: String) -> Bool {
        ["everyMinute", "periodic", "explicit", "animation"].contains(name)
    }

    func members(of name: String) -> [(String, ParameterValue)] {
        var drawn = self
        return drawn.draw(name)
    }

    private mutating func draw(_ name: String) -> [(String, ParameterValue)] {
        switch name {
        case "events":
            [
                ("days", number(1...6)), ("dayEntries", .bool(.random(using: &numbers))),
                ("preEventLead", pick(["PT0S", "PT30M", "PT3H", "P2D"].map { .string($0) })),
            ]
        case "status": [("every", interval()), ("parkedEvery", interval()), ("offlineAfter", offlineAfter())]
        case "fixedInterval": [("every", interval()), ("span", pick([interval(), .string("limit")]))]
        case "timesOfDay": [("times", .array((0..<Int.random(in: 1...14, using: &numbers)).map { _ in time() }))]
        case "fetched": [("every", interval()), ("retryAfter", interval()), ("offlineAfter", offlineAfter())]
        case "dayNight":
            [
                ("dayFrom", time()), ("dayTo", time()), ("dayEvery", interval()), ("daySpan", interval()),
                ("nightEvery", interval()), ("nightSpan", interval()),
            ]
        case "hourly": [("hours", number(1...40))]
        case "withRetry":
            [("inner", inner()), ("retryAfter", interval()), ("offlineAfter", offlineAfter())]
        case "preview": [("count", number(1...30)), ("every", interval())]
        case "schedule":
            [
                ("schedule", schedule(pick(["everyMinute", "periodic", "explicit", "animation"]))),
                ("mode", pick([.string("normal"), .string("lowFrequency")])),
            ]
        default: []  // A new strategy has its defaults until its options are drawn here.
        }
    }

    mutating func schedule(_ name: String) -> ParameterValue {
        var members: [(String, ParameterValue)] = [("type", .string(name))]
        switch name {
        case "periodic": members += [("from", .string(date())), ("by", interval())]
        case "explicit":
            let dates = Set((0..<Int.random(in: 0...25, using: &numbers)).map { _ in date() })
            members.append(("dates", .array(dates.sorted().map { .string($0) })))
        case "animation": members += [("minimumInterval", interval()), ("paused", pick([.bool(false), .bool(true)]))]
        default: break
        }
        return .object(options(members))
    }

    private mutating func inner() -> ParameterValue {
        let name = pick(["fetched", "status", "events", "timesOfDay", "hourly", "schedule", "fixedInterval", "preview"])
        return .object(options(draw(name) + [("name", .string(name))]))
    }

    private mutating func pick<Item>(_ items: [Item]) -> Item {
        items[Int.random(in: 0..<items.count, using: &numbers)]
    }

    private mutating func number(_ range: ClosedRange<Int>) -> ParameterValue {
        .number("\(Int.random(in: range, using: &numbers))")
    }

    private mutating func interval() -> ParameterValue {
        .string(pick(["PT1S", "PT7S", "PT1M", "PT90S", "PT15M", "PT1H", "PT11H", "P1D", "P1DT1H", "P1W", "P31D"]))
    }

    private mutating func offlineAfter() -> ParameterValue { .string(pick(["PT1M", "PT30M", "PT40M", "P1D"])) }

    private mutating func time() -> ParameterValue {
        let minute = Int.random(in: 0..<1440, using: &numbers) / 15 * 15
        return .string(LocalTime(hour: minute / 60, minute: minute % 60).hoursAndMinutes)
    }

    /// Near the changes of clocks that the properties are drawn around.
    private mutating func date() -> String {
        let changes = ["2011-12-30T10:00:00Z", "2018-02-18T02:00:00Z", "2018-11-04T03:00:00Z", "2026-03-29T01:00:00Z"]
        return (at(pick(changes)) + .seconds(.random(in: -200_000...200_000, using: &numbers))).rfc3339
    }
}
