import TestSupport
import Testing
import Timelines

@Suite("The reason of each tick is true for it")
struct ReasonTests {
    func reasons(
        _ name: String, _ members: [(String, ParameterValue)] = [], at text: String, zone: String = "UTC",
        vehicleId: String? = nil, mode: TimelineScheduleMode = .normal, isSnapshot: Bool = false
    ) throws -> [String] {
        let strategy = try TimelineStrategies.strategy(named: name, options: options(members))
        let used = configuration(strategy, timeZone: zone) {
            $0.mode = mode
            $0.vehicleId = vehicleId
        }
        let request = TimelineRequest(configuration: used, at: at(text))
        let timeline = isSnapshot ? TimelineProvider.snapshot(for: request) : TimelineProvider.timeline(for: request)
        return timeline.entries.map {
            EntryReason.text(of: $0, in: timeline, configuration: used, at: request.at)
        }
    }

    @Test("timesOfDay names the time of day, and the present where it is none")
    func timesOfDay() throws {
        #expect(try reasons("timesOfDay", at: "2026-11-20T18:30:00Z") == ["what is known now", "09:00 local time"])
        #expect(
            try reasons(
                "timesOfDay", [("times", .array([.string("02:30"), .string("04:00")]))], at: "2026-03-29T00:00:00Z",
                zone: "Europe/Berlin") == [
                    "what is known now", "02:30 local time, which the clocks skip", "04:00 local time",
                    "02:30 local time",
                ])
    }

    @Test("dayNight says the interval that holds, and where the day begins")
    func dayNight() throws {
        #expect(
            try reasons("dayNight", at: "2026-11-20T03:50:00Z")
                == ["every 2 hours by night", "every 2 hours by night", "the day begins"])
        #expect(Set(try reasons("dayNight", at: "2026-11-20T21:50:00Z")) == ["every 15 minutes by day"])
        #expect(
            Set(try reasons("dayNight", at: "2026-11-20T21:50:00Z", mode: .lowFrequency))
                == ["every 2 hours in lowFrequency"])
    }

    @Test("A tick of the present before the first date of a schedule, or of events, is nothing that comes regularly")
    func present() throws {
        let later = ParameterValue.object(
            options([("type", .string("periodic")), ("from", .string("2026-11-20T12:00:00Z")), ("by", .string("PT2H"))])
        )
        let found = try reasons("schedule", [("schedule", later)], at: "2026-11-20T10:00:00Z")
        #expect(found.prefix(2) == ["what is known now", "every 2 hours"])
        #expect(
            try reasons("events", [("dayEntries", .bool(false))], at: "2026-11-20T10:00:00Z") == ["what is known now"])
        #expect(try reasons("fetched", at: "2026-11-20T10:00:00Z") == ["what is known now"])
    }

    @Test("A schedule says the distance that its mode leaves")
    func schedules() throws {
        let short = ParameterValue.object(
            options([
                ("type", .string("periodic")), ("from", .string("2026-11-20T09:00:00Z")), ("by", .string("PT40S")),
            ]))
        let members = [("schedule", short)]
        #expect(Set(try reasons("schedule", members, at: "2026-11-20T10:00:00Z")) == ["every 40 seconds"])
        #expect(
            Set(try reasons("schedule", members, at: "2026-11-20T10:00:00Z", mode: .lowFrequency))
                == ["every 1 minute 20 seconds"])
    }

    @Test("A sample of a snapshot is a sample, whatever the strategy")
    func samples() throws {
        let inner = [("inner", ParameterValue.string("fixedInterval"))]
        #expect(
            try reasons("withRetry", inner, at: "2026-11-20T10:00:00Z", vehicleId: "bus-7", isSnapshot: true)
                == ["a sample"])
        #expect(Set(try reasons("preview", at: "2026-11-20T10:00:00Z")) == ["a sample"])
    }
}
