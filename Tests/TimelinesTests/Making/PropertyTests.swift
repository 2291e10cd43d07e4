import TestSupport
import Testing
import Timelines

/// What holds for any agenda and vehicle; each seed is one drawn configuration with what is known of it.
@Suite("Properties of all timelines")
struct PropertyTests {
    struct Case {
        var request: TimelineRequest
        var numbers: SplitMix64

        init(seed: Int, name: String) throws {
            numbers = SplitMix64(seed: UInt64(seed))
            let zones = [
                "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Pacific/Apia",
            ]
            var drawn = DrawnOptions(numbers: SplitMix64(seed: UInt64(seed) &+ 1_000_003))
            let isSchedule = DrawnOptions.isSchedule(name)
            let members = isSchedule ? [("schedule", drawn.schedule(name))] : drawn.members(of: name)
            let strategy = try TimelineStrategies.strategy(
                named: isSchedule ? "schedule" : name, options: options(members))
            let zone = zones.randomElement(using: &numbers) ?? "UTC"
            var used = configuration(strategy, timeZone: zone)
            used.family = WidgetFamily.allCases.randomElement(using: &numbers) ?? .systemSmall
            used.maximumEntries = Bool.random(using: &numbers) ? Int.random(in: 1...60, using: &numbers) : nil
            used.mode = Bool.random(using: &numbers) ? .normal : .lowFrequency
            used.isSignedIn = Int.random(in: 0..<20, using: &numbers) > 0
            used.preEventLead = Bool.random(using: &numbers) ? .minutes(30) : CalendarDuration(days: 1)
            used.parameters = Parameters([.init(key: "seed", value: .number("\(seed)"))])
            // Around the changes of clocks in 2011, 2018 and 2026 that the zones above have.
            let changes = [
                "2011-12-30T10:00:00Z", "2018-02-18T02:00:00Z", "2018-11-04T03:00:00Z", "2026-03-29T01:00:00Z",
                "2026-10-25T01:00:00Z", "2026-10-03T15:30:00Z",
            ]
            let now =
                at(changes.randomElement(using: &numbers) ?? "")
                + .seconds(.random(in: -200_000...200_000, using: &numbers))
            request = TimelineRequest(configuration: used, at: now)
            request.hasUnreadableSource = Int.random(in: 0..<10, using: &numbers) == 0
            request.occurrences = (0..<Int.random(in: 0...30, using: &numbers)).map { drawnOccurrence($0) }
            if Bool.random(using: &numbers) {
                request.configuration.vehicleId = "bus-7"
                request.vehicle = drawnVehicle()
            }
        }

        private mutating func drawnOccurrence(_ number: Int) -> Occurrence {
            // Whole half hours, so that many dates meet.
            let start =
                Instant(milliseconds: request.at.milliseconds.quotientInHalfHours * 1_800_000)
                + .minutes(30 * .random(in: -150...300, using: &numbers))
            var occurrence = Occurrence(
                calendarId: ["a", "b"].randomElement(using: &numbers) ?? "a", uid: "u\(number)", title: "t",
                when: .timed(start: start, end: start + .minutes(30 * .random(in: 0...20, using: &numbers))))
            if Int.random(in: 0..<5, using: &numbers) == 0 {
                let date = LocalCalendar.utc.date(at: start)
                occurrence.when = .allDay(start: date, end: date.advanced(byDays: .random(in: 1...3, using: &numbers)))
            }
            let leads: [CalendarDuration?] = [nil, nil, CalendarDuration(), .minutes(30), CalendarDuration(days: 1)]
            occurrence.preEventLead = leads.randomElement(using: &numbers) ?? nil
            occurrence.vehicleId = Bool.random(using: &numbers) ? "bus-7" : nil
            return occurrence
        }

        private mutating func drawnVehicle() -> Vehicle {
            var vehicle = Vehicle(vehicleId: "bus-7")
            vehicle.status = VehicleStatus.allCases.randomElement(using: &numbers)
            vehicle.observedAt = request.at - .minutes(.random(in: 0...60, using: &numbers))
            return vehicle
        }
    }

    static let names = TimelineStrategies.all.map { $0.name }

    @Test("Entries ascend, the first is in force, limits hold, and the due date is to come", arguments: names)
    func shape(name: String) throws {
        print("properties of \(name): seeds 0 to 699")
        for seed in 0..<700 {
            let request = try Case(seed: seed, name: name).request
            let timeline = TimelineProvider.timeline(for: request)
            let dates = timeline.entries.map(\.date)
            #expect(dates == dates.sorted(), "seed \(seed)")
            #expect(dates[0] <= request.at && dates.dropFirst().allSatisfy { $0 > request.at }, "seed \(seed)")
            #expect(timeline.entries.count <= request.configuration.limit, "seed \(seed)")
            #expect((timeline.nextUpdate == nil) == (timeline.policy == .never), "seed \(seed)")
            if let due = timeline.nextUpdate { #expect(due > request.at, "seed \(seed)") }
            #expect(Set(timeline.entries.map { "\($0.date) \($0.id)" }).count == dates.count, "seed \(seed)")
        }
    }

    @Test(
        "The same knowledge gives the same timeline, in whatever order occurrences come",
        arguments: names)
    func pure(name: String) throws {
        for seed in 0..<300 {
            var drawn = try Case(seed: seed, name: name)
            let timeline = TimelineProvider.timeline(for: drawn.request)
            drawn.request.occurrences.shuffle(using: &drawn.numbers)
            #expect(TimelineProvider.timeline(for: drawn.request) == timeline, "seed \(seed)")
        }
    }

    @Test(
        "Made again before it is due with the same knowledge, a calendar-bound timeline shows no visible change",
        arguments: ["events", "timesOfDay", "everyMinute", "periodic", "explicit"])
    func madeAgain(name: String) throws {
        for seed in 0..<1500 {
            var drawn = try Case(seed: seed, name: name)
            // Time alone must pass: a vehicle that falls silent is news, and a tick shows the event of its window.
            drawn.request.vehicle?.status = .ignitionOff
            let latest = drawn.request.at + .hours(24 * 40)
            let due = TimelineProvider.timeline(for: drawn.request).nextUpdate ?? latest
            let length = (due - drawn.request.at).milliseconds
            let later = Instant(
                milliseconds: drawn.request.at.milliseconds + .random(in: 0..<length, using: &drawn.numbers))
            // Ticks show the event of their date: a tick of the present, before the first date of a schedule, shows
            // what is under way then, and at midnight a day more comes into sight.
            let calendar = drawn.request.calendar
            let isSameDay = calendar.day(at: drawn.request.at) == calendar.day(at: later)
            let first = TimelineProvider.timeline(for: drawn.request).entries[0].date
            if name != "events" && (name == "timesOfDay" || !isSameDay || first == drawn.request.at) {
                drawn.request.configuration.calendarIds = []
            }
            let old = TimelineProvider.timeline(for: drawn.request)
            var again = drawn.request
            again.at = later
            let new = TimelineProvider.timeline(for: again)
            let digests = [old, new].map { ContentDigest(of: $0, kind: "K", family: .systemSmall) }
            #expect(!digests[0].isVisibleChange(to: digests[1], at: again.at), "seed \(seed)")
        }
    }

    @Test("What is shown before the due date is what a timeline without limit shows then", arguments: names)
    func limitHidesNothing(name: String) throws {
        for seed in 0..<700 {
            var drawn = try Case(seed: seed, name: name)
            let short = TimelineProvider.timeline(for: drawn.request)
            drawn.request.configuration.maximumEntries = 500
            let long = TimelineProvider.timeline(for: drawn.request)
            // What never comes again may hide what is beyond the limit: samples, and nothing else.
            guard let due = short.nextUpdate else {
                let areSamples = short.entries.allSatisfy(\.isSample)
                #expect(areSamples || short.entries == long.entries, "seed \(seed)")
                continue
            }
            #expect(
                short.entries.filter { $0.date < due } == long.entries.filter { $0.date < due }, "seed \(seed)")
        }
    }
}

extension Int64 {
    fileprivate var quotientInHalfHours: Int64 { self / 1_800_000 }
}
