import TestSupport
import Testing
import Timelines

@Suite("A snapshot")
struct SnapshotTests {
    let now = at("2026-11-20T10:00:00Z")

    func snapshot(
        _ name: String, _ members: [(String, ParameterValue)] = [], occurrences: [Occurrence] = [],
        _ change: (inout WidgetConfiguration) -> Void = { _ in }
    ) throws -> Timeline {
        let strategy = try TimelineStrategies.strategy(named: name, options: options(members))
        let used = configuration(strategy) {
            $0.parameters["name"] = .string("x")
            change(&$0)
        }
        return TimelineProvider.snapshot(
            for: TimelineRequest(configuration: used, occurrences: occurrences, at: now))
    }

    @Test("It is the entry in force alone, with the policy never")
    func inForce() throws {
        let meeting = timed("meeting", "2026-11-20T09:00:00Z", "2026-11-20T11:00:00Z")
        let events = try snapshot("events", occurrences: [meeting])
        #expect(lines(events) == ["2026-11-20T09:00:00Z start meeting"])
        #expect(events.policy == .never && events.nextUpdate == nil && events.validUntil == nil)
        let status = configuration(try status()) { $0.vehicleId = "bus-7" }
        let known = TimelineProvider.snapshot(
            for: TimelineRequest(
                configuration: status, vehicle: bus(.idling, observedAt: "2026-11-20T09:59:00Z"), at: now))
        #expect(lines(known) == ["2026-11-20T10:00:00Z status"] && !known.entries[0].isSample)
        #expect(known.entries[0].vehicle?.status == "Idling" && known.validUntil == nil)
        let hours = try snapshot("hourly")
        #expect(lines(hours) == ["2026-11-20T10:00:00Z tick"] && !hours.entries[0].isSample)
        // A calendar without events is no lack of data.
        #expect(try lines(snapshot("events")) == ["2026-11-20T00:00:00Z day"])
    }

    @Test(
        "Where nothing can be seen yet it is a tick with the first sample: nothing known, chosen, signed in or readable"
    )
    func samples() throws {
        let meeting = timed("meeting", "2026-11-20T09:00:00Z", "2026-11-20T11:00:00Z")
        let vehicle = { (used: inout WidgetConfiguration) in used.vehicleId = "bus-7" }
        for found in [
            try snapshot("fetched", occurrences: [meeting], vehicle), try snapshot("status", [], vehicle),
            try snapshot("status"), try snapshot("withRetry", occurrences: [meeting], vehicle),
            try snapshot("events", occurrences: [meeting]) { $0.isSignedIn = false },
            try snapshot("withRetry", [("inner", .string("hourly"))]) { $0.isSignedIn = false },
        ] {
            #expect(lines(found) == ["2026-11-20T10:00:00Z tick"])
            #expect(found.policy == .never && found.nextUpdate == nil && found.validUntil == nil)
            let entry = try #require(found.entries.first)
            #expect(entry.isSample && entry.vehicle == .sample(0) && entry.message == nil && entry.event == nil)
            #expect(entry.id == "tick/2026-11-20T10:00:00Z" && entry.relevance == nil)
            #expect(entry.parameters["name"] == .string("x"))
        }
    }

    @Test("A configuration that cannot be used stays an error")
    func unusable() throws {
        let lost = try snapshot("withRetry") { $0.timeZone = "Nowhere" }
        #expect(lines(lost) == ["2026-11-20T10:00:00Z error"] && lost.policy == .never)
        #expect(lost.entries[0].message?.code == .configurationInvalid)
    }

    @Test("A placeholder stands where a widget will be, with its parameters")
    func placeholder() throws {
        let used = configuration(try TimelineStrategies.strategy(named: "fetched")) {
            $0.parameters["name"] = .string("x")
        }
        let placeholder = TimelineProvider.placeholder(for: used, at: now)
        #expect(placeholder.entries[0].phase == .placeholder && placeholder.entries[0].parameters["name"] != nil)
    }
}
