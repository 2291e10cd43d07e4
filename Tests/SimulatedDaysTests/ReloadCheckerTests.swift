import Messages
import SimulatedDays
import Testing
import Timelines

/// A checker that finds nothing proves nothing: a right day is told again with one thing wrong.
@Suite("The checker finds what is wrong")
struct ReloadCheckerTests {
    private static let day = FleetDay(seed: 11, scale: .init(vehicles: 8, changesPerVehicle: 60, hours: 24))
    nonisolated(unsafe) private static let recording: Recording = {
        let recording = Recording()
        _ = DayRun(day, observers: [recording])
        return recording
    }()

    private func breaches(_ change: (AnnouncedReload) -> [AnnouncedReload]) -> [Breach.Rule: Int] {
        Self.recording.breaches(until: Self.day.end, change)
    }

    @Test("Nothing is found where nothing was changed")
    func unchanged() {
        #expect(breaches { [$0] } == [:])
    }

    @Test("A reload that never comes")
    func lost() {
        var count = 0
        let found = breaches { reload in
            count += 1
            return count % 50 == 0 ? [] : [reload]
        }
        #expect((found[.late] ?? 0) > 0)
    }

    @Test("The last reload of everybody that never comes")
    func lastLost() {
        let last = Self.day.start + .hours(23)
        let found = breaches { $0.issuedAt > last ? [] : [$0] }
        #expect((found[.late] ?? 0) + (found[.untold] ?? 0) > 5)
    }

    @Test("A reload that comes a millisecond late")
    func late() {
        let found = breaches { reload in
            var reload = reload
            reload.issuedAt = reload.issuedAt + ElapsedTime(milliseconds: 1)
            return [reload]
        }
        #expect((found[.late] ?? 0) > 100)
    }

    @Test("A reload that comes twice")
    func twice() {
        var count = 0
        let found = breaches { reload in
            count += 1
            var again = reload
            again.issuedAt = reload.issuedAt + .seconds(30)
            return count % 20 == 0 ? [reload, again] : [reload]
        }
        #expect((found[.invisible] ?? 0) > 0)
    }

    @Test("A reload for each configuration, where one names them all")
    func split() {
        let found = breaches { reload in
            reload.configurationIds.map { id in
                var part = reload
                part.configurationIds = [id]
                return part
            }
        }
        #expect((found[.apart] ?? 0) > 0)
    }

    @Test("A configuration that is left out of a reload, and named a second later")
    func leftOut() {
        let found = breaches { reload in
            guard reload.configurationIds.count > 1 else { return [reload] }
            var (first, rest) = (reload, reload)
            first.configurationIds.removeLast()
            rest.configurationIds = [reload.configurationIds.last ?? ""]
            rest.issuedAt = reload.issuedAt + .seconds(1)
            return [first, rest]
        }
        #expect((found[.apart] ?? 0) > 0)
        #expect((found[.late] ?? 0) > 0)
    }

    @Test("A revision, a reason, a budget, an address that is another")
    func contents() {
        func only(_ rule: Breach.Rule, _ change: (inout AnnouncedReload) -> Void) {
            let found = breaches { reload in
                var reload = reload
                change(&reload)
                return [reload]
            }
            #expect((found[rule] ?? 0) > 100, "\(rule.rawValue): \(found)")
        }
        only(.revision) { $0.revision.rawValue += 1 }
        only(.revision) { $0.revision.rawValue -= 1 }
        only(.reason) { $0.reason = "configurationChanged" }
        only(.budget) { $0.budget?.remaining += 1 }
        only(.budget) { $0.budget?.resetsAt = $0.issuedAt }
        only(.address) { $0.recipient += "x" }
        only(.address) { $0.kind += "x" }
    }

    @Test("Budgets that were larger than what the kinds say")
    func overspent() {
        var narrow = FleetDay.kinds
        for index in narrow.indices {
            narrow[index].reload.limit = 20
            narrow[index].reload.burst = 5
        }
        let found = Self.recording.breaches(until: Self.day.end, kinds: narrow) { [$0] }
        #expect((found[.token] ?? 0) > 100)
        #expect((found[.limit] ?? 0) > 10)
    }

    @Test("A window that was shorter than what the kinds say")
    func hasty() {
        var slow = FleetDay.kinds
        for index in slow.indices { slow[index].reload.coalesce = .seconds(600) }
        let found = Self.recording.breaches(until: Self.day.end, kinds: slow) { [$0] }
        #expect((found[.early] ?? 0) > 0)
    }
}
