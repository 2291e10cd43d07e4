// SimulatedDaysTests: small days of a fleet, and proof that the checker of reloads finds what is wrong.
//
// A day of this size takes seconds; `make day` plays one of 10,000 vehicles.

import Messages
import RecordLog
import SimulatedDays
import Testing
import Timelines

@Suite("Days of a fleet under a virtual clock")
struct SimulatedDaysTests {
    @Test("No rule of reloads is broken on a day with more changes than its budgets allow")
    func rules() {
        let checker = ReloadChecker(kinds: FleetDay.kinds)
        let day = FleetDay(seed: 7, scale: .init(vehicles: 16))
        let run = DayRun(day, observers: [checker])
        checker.end(day.end)
        #expect(checker.breaches.map(\.description) == [])
        #expect(run.deadLetters == 0)
        // What the day is for has happened.
        #expect(checker.figures.waited > 50)
        #expect(checker.figures.dropped > 20)
        #expect(checker.figures.foundByThemselves > 3)
        #expect(Set(checker.figures.reasons.keys).isSuperset(of: ["configurationChanged", "statusChanged"]))
        #expect(checker.figures.kinds["VehicleStatus"]?.mostInADay == 48)
        #expect(checker.figures.kinds["FleetOverview"]?.mostInADay == 24)
    }

    @Test("Nor where much happens at one instant: changes, ends of windows, sign-ins")
    func coincidences() {
        let checker = ReloadChecker(kinds: FleetDay.kinds)
        let day = FleetDay(seed: 3, scale: .init(vehicles: 10, changesPerVehicle: 300, hours: 4, grid: 1_000))
        _ = DayRun(day, observers: [checker])
        checker.end(day.end)
        #expect(checker.breaches.map(\.description) == [])
        #expect(checker.figures.dropped > 20)
    }

    @Test(
        "Tasks that are thrown away and restored at random instants tell everybody the same, byte for byte",
        arguments: [1, 2] as [UInt64])
    func restarts(_ seed: UInt64) {
        let day = FleetDay(seed: seed, scale: .init(vehicles: 20, changesPerVehicle: 25, hours: 8))
        let (undisturbed, disturbed) = (RecordTrace(), RecordTrace())
        _ = DayRun(day, observers: [undisturbed])
        let interruptions = Interruptions(200, of: day, partitions: 8, seed: seed)
        let run = DayRun(day, interruptions: interruptions, observers: [disturbed])
        #expect(run.interruptions == 200)
        #expect(undisturbed.reloadCount > 300)
        #expect(disturbed.differences(from: undisturbed) == [])
    }

    @Test("Messages say the same as values, as within a thread, and as bytes, as between threads")
    func handover() {
        let day = FleetDay(seed: 5, scale: .init(vehicles: 20, changesPerVehicle: 25, hours: 8))
        let (asBytes, asValues) = (RecordTrace(), RecordTrace())
        _ = DayRun(day, handsOverValues: false, observers: [asBytes])
        let run = DayRun(day, observers: [asValues])
        #expect(run.transactions > 100)
        #expect(asBytes.reloadCount > 300)
        #expect(asValues.differences(from: asBytes) == [])
    }

    @Test("Another day, or a record that is changed, lost or told to another, shows in the trace")
    func traces() {
        let scale = FleetDay.Scale(vehicles: 3, changesPerVehicle: 3, hours: 1)
        func trace(_ seed: UInt64) -> RecordTrace {
            let trace = RecordTrace()
            _ = DayRun(FleetDay(seed: seed, scale: scale), observers: [trace])
            return trace
        }
        #expect(trace(1).differences(from: trace(1)) == [])
        #expect(trace(1).differences(from: trace(2)) != [])
        let (some, others) = (RecordTrace(), RecordTrace())
        func tell(_ trace: RecordTrace, _ recipient: String, _ value: String) {
            Array(recipient.utf8).withUnsafeBytes { key in
                Array(value.utf8).withUnsafeBytes { trace.reload(key: key, $0, headers: [], at: day0) }
            }
        }
        for value in ["a", "b"] { tell(some, "p", value) }
        for value in ["b", "a"] { tell(others, "p", value) }
        #expect(some.differences(from: others).count == 1)
    }

    private var day0: Instant { Instant(milliseconds: 0) }
}
