import Testing
import Timelines

@Suite("Options of strategies")
struct StrategyOptionsTests {
    func problem(_ name: String, _ members: (String, ParameterValue)...) -> ConfigurationProblem? {
        do throws(ConfigurationProblems) {
            _ = try TimelineStrategies.strategy(named: name, options: options(members))
            return nil
        } catch {
            return error.first
        }
    }

    @Test("Absent options take their defaults")
    func defaults() throws {
        let status = try #require(try TimelineStrategies.strategy(named: "status") as? StatusStrategy)
        #expect(status.every == lasting("PT2M") && status.parkedEvery == lasting("PT15M"))
        #expect(status.offlineAfter == lasting("PT30M"))
        let events = try #require(try TimelineStrategies.strategy(named: "events") as? EventsStrategy)
        #expect(events.days == 2 && events.dayEntries && events.preEventLead == nil)
    }

    @Test(
        "A value out of bounds or of another type is refused, with its key",
        arguments: [
            ("status", "every", .string("PT0S")), ("status", "every", .string("P31DT1S")),
            ("status", "every", .number("120")), ("status", "parkedEvery", .string("P1M")),
            ("status", "offlineAfter", .string("PT59S")), ("events", "preEventLead", .string("P32D")),
            ("events", "days", .number("0")), ("events", "days", .number("32")), ("events", "days", .number("1.5")),
            ("events", "days", .string("2")), ("events", "dayEntries", .string("true")), ("events", "days", .null),
        ] as [(String, String, ParameterValue)])
    func refused(name: String, key: String, value: ParameterValue) {
        #expect(problem(name, (key, value))?.key == "strategy.\(key)")
    }

    @Test(
        "Values at the bounds are taken",
        arguments: [
            ("status", "every", .string("PT1S")), ("status", "every", .string("P31D")),
            ("status", "offlineAfter", .string("PT1M")), ("events", "preEventLead", .string("PT0S")),
            ("events", "preEventLead", .string("P31D")), ("events", "days", .number("31")),
            ("events", "days", .number("1.0")), ("events", "dayEntries", .bool(false)),
        ] as [(String, String, ParameterValue)])
    func taken(name: String, key: String, value: ParameterValue) {
        #expect(problem(name, (key, value)) == nil)
    }

    @Test("Messages say what is allowed and what was probably meant")
    func messages() {
        #expect(
            problem("status", ("every", .string("2 min")))
                == .init(
                    key: "strategy.every",
                    "must be an ISO 8601 duration from PT1S to P31D, such as PT15M, not \"2 min\""))
        #expect(
            problem("events", ("day", .number("2")))
                == .init(
                    key: "strategy.day",
                    "is unknown: the strategy events has the options preEventLead, days, dayEntries; did you mean days?"
                ))
        #expect(
            problem("stauts")
                == .init(
                    key: "strategy",
                    "must be one of status, events, fixedInterval, timesOfDay, fetched, dayNight, hourly, withRetry, "
                        + "preview, schedule, not \"stauts\"; did you mean status?"))
    }

    @Test("Every strategy has its own name")
    func names() {
        let names = TimelineStrategies.all.map { $0.name }
        #expect(Set(names).count == names.count && names.contains("events") && names.contains("status"))
    }
}
