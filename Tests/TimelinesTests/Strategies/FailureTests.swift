import TestSupport
import Testing
import Timelines

@Suite("fetched and withRetry")
struct FailureTests {
    let now = at("2026-11-20T10:00:00Z")

    func timeline(
        _ name: String, _ members: [(String, ParameterValue)] = [], vehicle: Vehicle? = nil, unreadable: Bool = false,
        vehicleId: String? = "bus-7", _ change: (inout WidgetConfiguration) -> Void = { _ in }
    ) throws -> Timeline {
        let strategy = try TimelineStrategies.strategy(named: name, options: options(members))
        let used = configuration(strategy) {
            $0.vehicleId = vehicleId
            change(&$0)
        }
        return TimelineProvider.timeline(
            for: TimelineRequest(
                configuration: used, vehicle: vehicle, hasUnreadableSource: unreadable, at: now))
    }

    @Test("fetched: one tick with what is known, the next after a quarter of an hour")
    func success() throws {
        let known = try timeline("fetched", vehicle: bus(.moving, observedAt: "2026-11-20T09:59:00Z", speed: 30))
        #expect(lines(known) == ["2026-11-20T10:00:00Z tick"] && known.entries[0].vehicle?.status == "Moving")
        #expect(known.policy == .after(at("2026-11-20T10:15:00Z")))
    }

    @Test("fetched: a placeholder and a retry after 5 minutes where the vehicle is unknown, silent or unreadable")
    func placeholder() throws {
        let silent = bus(.moving, observedAt: "2026-11-20T09:30:00Z")
        let heard = bus(.moving, observedAt: "2026-11-20T09:59:00Z")
        for failed in [
            try timeline("fetched"), try timeline("fetched", vehicle: silent),
            try timeline("fetched", vehicle: heard, unreadable: true),
            try timeline("fetched", unreadable: true, vehicleId: nil),
        ] {
            #expect(lines(failed) == ["2026-11-20T10:00:00Z placeholder"])
            #expect(failed.entries[0].vehicle?.registration == "Loading...")
            #expect(failed.entries[0].message?.code == .loading)
            #expect(failed.policy == .after(at("2026-11-20T10:05:00Z")))
        }
        // A parked vehicle may be silent, a calendar without events is no failure, and no vehicle is none either.
        let parked = bus(.ignitionOff, observedAt: "2026-11-19T09:30:00Z")
        #expect(try timeline("fetched", vehicle: parked).entries[0].phase == .tick)
        #expect(try timeline("fetched", vehicleId: nil).entries[0].phase == .tick)
        #expect(try timeline("fetched", vehicleId: "0").entries[0].phase == .tick)
        let nearly = bus(.moving, observedAt: "2026-11-20T09:30:00.001Z")
        #expect(try timeline("fetched", vehicle: nearly).entries[0].phase == .tick)
    }

    @Test(
        "withRetry says what failed and comes back after a minute",
        arguments: [
            (nil, false, TimelineEntry.Message.Code.vehicleUnknown), ("2026-11-20T09:30:00Z", false, .silent),
            ("2026-11-20T09:59:00Z", true, .unreadable), ("2026-11-20T09:30:00Z", true, .silent),
        ] as [(String?, Bool, TimelineEntry.Message.Code)])
    func error(observedAt: String?, unreadable: Bool, code: TimelineEntry.Message.Code) throws {
        let vehicle = observedAt.map { bus(.moving, observedAt: $0) }
        for inner in ["fetched", "status", "events", "fixedInterval"] {
            let failed = try timeline(
                "withRetry", [("inner", .string(inner))], vehicle: vehicle, unreadable: unreadable)
            #expect(lines(failed) == ["2026-11-20T10:00:00Z error"])
            #expect(failed.entries[0].message?.code == code && failed.entries[0].relevance?.score == 0.3)
            #expect(failed.policy == .after(at("2026-11-20T10:01:00Z")))
        }
    }

    @Test("withRetry is its inner strategy as long as nothing fails, ticks and policy included")
    func inner() throws {
        let heard = bus(.idling, observedAt: "2026-11-20T09:59:00Z")
        for inner in TimelineStrategies.all.map({ $0.name }) where inner != "withRetry" {
            let wrapped = try timeline("withRetry", [("inner", .string(inner))], vehicle: heard)
            #expect(wrapped == (try timeline(inner, vehicle: heard)), "\(inner)")
        }
        let signedOut = try timeline("withRetry", vehicle: nil) { $0.isSignedIn = false }
        #expect(signedOut.entries[0].phase == .signedOut)
        let chosen = try timeline("withRetry", [("inner", .string("status"))], vehicleId: "0")
        #expect(chosen.entries[0].phase == .selectVehicle)
    }

    @Test("A stale entry of the inner strategy is no failure; where it has no time of its own, withRetry's counts")
    func silence() throws {
        let quiet = bus(.moving, observedAt: "2026-11-20T09:40:00Z")
        let status = ParameterValue.object(
            options([("name", .string("status")), ("offlineAfter", .string("PT10M"))]))
        let stale = try timeline("withRetry", [("inner", status)], vehicle: quiet)
        #expect(lines(stale) == ["2026-11-20T10:00:00Z stale"])
        let patient = try timeline(
            "withRetry", [("inner", .string("fixedInterval")), ("offlineAfter", .string("PT1H"))],
            vehicle: bus(.moving, observedAt: "2026-11-20T09:15:00Z"))
        #expect(patient.entries[0].vehicle?.status == "Moving")
    }

    @Test("withRetry watches for silence at its own time and at its inner strategy's, and for calendars that fail")
    func needs() throws {
        let status = ParameterValue.object(
            options([("name", .string("status")), ("offlineAfter", .string("PT10M"))]))
        let strategy = try TimelineStrategies.strategy(named: "withRetry", options: options([("inner", status)]))
        let used = configuration(strategy) { $0.vehicleId = "bus-7" }
        let needs = TimelineProvider.needs(of: used)
        #expect(needs.vehicle?.silences == [.minutes(10), .minutes(30)] && needs.vehicle?.refresh == nil)
        #expect(needs.agenda?.calendarIds == ["team"] && needs.agenda?.days == 0)
        let window = needs.agenda?.window(at: now, in: .utc)
        let event = timed("e", "2026-11-20T09:00:00Z", "2026-11-20T11:00:00Z")
        #expect(window?.placed([event]).isEmpty == true)
    }

    @Test("withRetry does not nest, and what is wrong inside is said with its key")
    func problems() {
        func problem(_ inner: ParameterValue) -> ConfigurationProblem? {
            do throws(ConfigurationProblems) {
                _ = try TimelineStrategies.strategy(named: "withRetry", options: options([("inner", inner)]))
                return nil
            } catch {
                return error.first
            }
        }
        #expect(problem(.string("withRetry"))?.key == "strategy.inner")
        #expect(problem(.string("fetchd"))?.message.contains("did you mean fetched?") == true)
        let fetched = options([("name", .string("fetched")), ("every", .string("PT0S"))])
        #expect(problem(.object(fetched))?.key == "strategy.inner.every")
    }
}
