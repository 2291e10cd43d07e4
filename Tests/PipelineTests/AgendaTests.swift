import Messages
import TestSupport
import Testing
import Timelines

/// What is known at the instant of a timeline (T1, T11, T12), where several sources say it.
@Suite("Agendas move on, and sources are as of the same instant")
struct AgendaTests {
    static let ticks =
        #""calendarIds": ["team"], "vehicleId": "bus", "strategy": {"name": "fixedInterval", "every": "P5D"}"#

    @Test("A timeline that an event makes shows its vehicle as it is then, not as it was when it had news itself")
    func newestVehicle() async throws {
        try await PipelineFixture.run { fixture in
            fixture.moving("bus", "07:59", speed: 40)
            fixture.configuration("c1", Self.ticks)
            try await fixture.settle()
            #expect(try fixture.entry("c1").vehicle?.speed == 40)
            fixture.moving("bus", "08:10", speed: 60)
            try await fixture.settle(at: "08:10")
            #expect(fixture.history("c1").count == 1)
            fixture.event("team", "e1", "09:00", "10:00")
            try await fixture.settle(at: "08:11")
            #expect(fixture.history("c1").count == 2)
            #expect(try fixture.entry("c1").vehicle?.speed == 60)
            #expect(try fixture.entry("c1").event?.uid == "e1")
            #expect(try fixture.timeline("c1").generatedAt == at("08:11"))
        }
    }

    @Test("After midnight a vehicle's news shows the new day's events, and a change beyond the window makes nothing")
    func nextDay() async throws {
        try await PipelineFixture.run { fixture in
            fixture.moving("bus", "07:59")
            fixture.event("team", "third-day", "2026-03-04T09:00:00Z", "2026-03-04T10:00:00Z")
            fixture.configuration("c1", Self.ticks)
            try await fixture.settle()
            #expect(try fixture.entry("c1").event == nil)
            for hour in ["2026-03-02T20:00:00Z", "2026-03-03T00:00:00Z"] { try await fixture.settle(at: hour) }
            let made = fixture.history("c1").count
            fixture.event("team", "far", "2026-03-20T09:00:00Z", "2026-03-20T10:00:00Z")
            try await fixture.settle(at: "2026-03-03T00:01:00Z")
            #expect(fixture.history("c1").count == made)
            fixture.parked("bus", "2026-03-03T00:02:00Z")
            try await fixture.settle(at: "2026-03-03T00:02:00Z")
            #expect(try fixture.entry("c1").event?.uid == "third-day")
            #expect(try fixture.entry("c1").vehicle?.status == "IgnitionOff")
            #expect(fixture.reloads("c1").last?.reason == .statusChanged)
        }
    }

    @Test("After a pause over midnight the first timeline shows the day's events, whichever task wakes first")
    func afterAPause() async throws {
        try await PipelineFixture.run { fixture in
            fixture.parked("bus", "07:59")
            fixture.event("team", "third-day", "2026-03-04T09:00:00Z", "2026-03-04T10:00:00Z")
            fixture.configuration("c1", Self.ticks)
            try await fixture.settle()
            fixture.moving("bus", "2026-03-04T08:00:00Z")
            fixture.advance(to: "2026-03-04T08:00:00Z")
            try await fixture.restart()
            try await fixture.settle()
            #expect(try fixture.entry("c1").event?.uid == "third-day")
            for timeline in fixture.history("c1") where timeline.generatedAt > at("2026-03-04T00:00:00Z") {
                #expect(timeline.timeline.entries[0].event?.uid == "third-day")
            }
        }
    }
}
