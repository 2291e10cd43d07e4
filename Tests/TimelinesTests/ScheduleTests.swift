import Foundation
import TestSupport
import Testing
import Timelines

@Suite("Schedules")
struct ScheduleTests {
    // MARK: - everyMinute

    @Test(
        "everyMinute begins with the beginning of the start date's minute, in both modes",
        arguments: [
            ("2026-11-20T10:09:38Z", ["2026-11-20T10:09:00Z", "2026-11-20T10:10:00Z", "2026-11-20T10:11:00Z"]),
            ("2026-11-20T10:09:00Z", ["2026-11-20T10:09:00Z", "2026-11-20T10:10:00Z", "2026-11-20T10:11:00Z"]),
            ("2026-12-31T23:59:59.999Z", ["2026-12-31T23:59:00Z", "2027-01-01T00:00:00Z", "2027-01-01T00:01:00Z"]),
            ("1969-12-31T23:59:59.999Z", ["1969-12-31T23:59:00Z", "1970-01-01T00:00:00Z", "1970-01-01T00:01:00Z"]),
            ("1969-07-20T20:17:40.001Z", ["1969-07-20T20:17:00Z", "1969-07-20T20:18:00Z", "1969-07-20T20:19:00Z"]),
            ("0001-01-01T00:00:30Z", ["0001-01-01T00:00:00Z", "0001-01-01T00:01:00Z", "0001-01-01T00:02:00Z"]),
        ])
    func everyMinute(start: String, dates: [String]) {
        for mode in TimelineScheduleMode.allCases {
            #expect(texts(.everyMinute, from: start, mode, 3) == dates)
        }
    }

    @Test("Dates of everyMinute are whole minutes to the last bit")
    func wholeMinutes() {
        let schedule = EveryMinuteTimelineSchedule()
        for date in schedule.entries(from: date("2026-11-20T10:09:38.123Z"), mode: .normal).prefix(3000) {
            #expect(date.timeIntervalSince1970.truncatingRemainder(dividingBy: 60) == 0)
        }
    }

    // MARK: - periodic

    @Test(
        "periodic begins with the latest boundary that is not later than the start date, or with the first of all",
        arguments: [
            // Every 3 s from a date that is past, that is now, and that is still to come.
            ("2026-11-20T10:00:01Z", "2026-11-20T10:09:38Z", ["10:09:37", "10:09:40", "10:09:43"]),
            ("2026-11-20T10:09:38Z", "2026-11-20T10:09:38Z", ["10:09:38", "10:09:41", "10:09:44"]),
            ("2026-11-20T10:09:39Z", "2026-11-20T10:09:38Z", ["10:09:39", "10:09:42", "10:09:45"]),
            ("2026-11-20T11:00:00Z", "2026-11-20T10:09:38Z", ["11:00:00", "11:00:03", "11:00:06"]),
            // Just before a boundary and just at one.
            ("2026-11-20T10:00:00Z", "2026-11-20T10:00:02.999Z", ["10:00:00", "10:00:03", "10:00:06"]),
            ("2026-11-20T10:00:00Z", "2026-11-20T10:00:03Z", ["10:00:03", "10:00:06", "10:00:09"]),
            ("1969-12-31T23:59:58Z", "2026-11-20T10:00:00Z", ["09:59:58", "10:00:01", "10:00:04"]),
        ])
    func periodic(from: String, start: String, times: [String]) {
        let dates = texts(.periodic(from: date(from), by: 3), from: start, .normal, 3)
        #expect(dates == times.map { "2026-11-20T\($0)Z" })
    }

    @Test(
        "In low frequency periodic gives every so many-th boundary that makes up a minute, counted from its first",
        arguments: [
            // by, start, dates: 60 s / by is 20, 8.57, 1, 0.67, 600 and 200.
            (3, "10:09:38", ["10:09:01", "10:10:01", "10:11:01"]),
            (7, "10:09:38", ["10:09:28", "10:10:31", "10:11:34"]),
            (60, "10:09:38", ["10:09:01", "10:10:01", "10:11:01"]),
            (90, "10:09:38", ["10:09:01", "10:10:31", "10:12:01"]),
            (0.1, "10:09:38", ["10:09:01", "10:10:01", "10:11:01"]),
            (0.3, "10:09:01", ["10:09:01", "10:10:01", "10:11:01"]),
            (3, "09:00:00", ["10:00:01", "10:01:01", "10:02:01"]),
        ] as [(TimeInterval, String, [String])])
    func lowFrequency(by interval: TimeInterval, start: String, times: [String]) {
        let schedule = PeriodicTimelineSchedule(from: date("2026-11-20T10:00:01Z"), by: interval)
        let dates = texts(schedule, from: "2026-11-20T\(start)Z", .lowFrequency, 3)
        #expect(dates == times.map { "2026-11-20T\($0)Z" })
    }

    @Test("A quotient that only rounding puts above a whole number does not skip a boundary")
    func dividedMinutes() {
        let first = date("2026-11-20T10:00:00Z")
        for parts in 1...1000 {
            let schedule = PeriodicTimelineSchedule(from: first, by: 60 / TimeInterval(parts))
            #expect(
                texts(schedule, from: "2026-11-20T10:00:00Z", .lowFrequency, 2)
                    == ["2026-11-20T10:00:00Z", "2026-11-20T10:01:00Z"], "60 s in \(parts) parts")
        }
    }

    @Test(
        "A start date within a microsecond of a boundary is that boundary", arguments: [0.3, 0.1, 0.7, 3.3, 1.0 / 60])
    func boundaries(interval: TimeInterval) {
        let origin = date("2026-11-20T10:00:00.001Z")
        let schedule = PeriodicTimelineSchedule(from: origin, by: interval)
        for count in 0..<2000 {
            let boundary = origin.addingTimeInterval(Double(count) * interval)
            for difference in [-0.000_000_9, 0, 0.000_000_9] {
                #expect(first(of: schedule, from: boundary + difference) == boundary, "\(count) and \(difference) s")
            }
            let before = first(of: schedule, from: boundary - 0.000_01)
            #expect(count == 0 ? before == origin : before < boundary, "just before \(count)")
        }
    }

    @Test("Of boundaries less than a microsecond apart the nearest one is the start")
    func shortIntervals() {
        let origin = Date(timeIntervalSinceReferenceDate: 0)
        let schedule = PeriodicTimelineSchedule(from: origin, by: 0.000_000_1)
        #expect(first(of: schedule, from: origin + 0.000_000_34) == origin + 3 * 0.000_000_1)
        #expect(first(of: schedule, from: origin + 0.000_000_36) == origin + 4 * 0.000_000_1)
    }

    @Test("After millions of entries a boundary is where it is reckoned to be")
    func noDrift() {
        let origin = date("2026-11-20T10:00:00.001Z")
        let entries = PeriodicTimelineSchedule(from: origin, by: 0.1).entries(from: origin, mode: .normal)
        let later = entries.dropFirst(3_000_000).prefix(1).map(\.self)
        #expect(later.map(Instant.init) == [Instant(origin) + .seconds(300_000)])
        #expect(later.allSatisfy { abs($0.timeIntervalSince(origin) - 300_000) < 0.000_000_5 })
    }

    @Test("Boundaries that are whole milliseconds apart are whole milliseconds")
    func milliseconds() {
        let first = at("2026-11-20T10:00:00.001Z")
        let schedule = PeriodicTimelineSchedule(from: Date(first), by: 0.3)
        for (count, entry) in schedule.entries(from: Date(first), mode: .normal).prefix(100_000).enumerated() {
            guard Instant(entry).milliseconds != first.milliseconds + Int64(count) * 300 else { continue }
            Issue.record("boundary \(count) is \(Instant(entry).rfc3339)")
        }
    }

    // MARK: - explicit

    @Test("explicit gives its dates, past ones too, in both modes")
    func explicit() {
        let dates = ["2026-11-20T09:00:00Z", "2026-11-20T10:00:00.250Z", "2026-11-20T10:00:00.500Z"]
        for mode in TimelineScheduleMode.allCases {
            #expect(texts(.explicit(dates.map(date)), from: "2026-11-20T10:00:00Z", mode, 9) == dates)
            #expect(texts(.explicit([Date]()), from: "2026-11-20T10:00:00Z", mode, 9) == [])
        }
    }

    // MARK: - animation

    @Test("animation gives sixty dates a second from the start date on")
    func animation() {
        let start = date("2026-11-20T10:00:00.500Z")
        let dates = Array(AnimationTimelineSchedule().entries(from: start, mode: .normal).prefix(121))
        #expect(dates.enumerated().allSatisfy { $1 == start.addingTimeInterval(Double($0) * (1 / 60)) })
        #expect(
            texts(.animation, from: "2026-11-20T10:00:00.500Z", .normal, 4) == [
                "2026-11-20T10:00:00.500Z", "2026-11-20T10:00:00.517Z", "2026-11-20T10:00:00.533Z",
                "2026-11-20T10:00:00.550Z",
            ])
        #expect(dates[120] == start + 2)
    }

    @Test("animation comes every minimumInterval; while paused, and in low frequency, never")
    func animationIntervals() {
        let start = "2026-11-20T10:09:38.250Z"
        #expect(
            texts(.animation(minimumInterval: 2.5), from: start, .normal, 3) == [
                "2026-11-20T10:09:38.250Z", "2026-11-20T10:09:40.750Z", "2026-11-20T10:09:43.250Z",
            ])
        #expect(texts(.animation(minimumInterval: 1, paused: true), from: start, .normal, 3) == [])
        #expect(texts(.animation(paused: true), from: start, .lowFrequency, 3) == [])
        #expect(texts(.animation, from: start, .lowFrequency, 3) == [])
        #expect(texts(.animation(minimumInterval: 120), from: start, .lowFrequency, 3) == [])
    }

    // MARK: - Any schedule

    @Test("An endless schedule is asked for no more dates than are taken")
    func laziness() {
        let start = date("2026-11-20T10:00:00Z")
        #expect(Array(EveryMinuteTimelineSchedule().entries(from: start, mode: .normal).prefix(5)).count == 5)
        #expect(
            Array(PeriodicTimelineSchedule(from: start, by: 1).entries(from: start, mode: .normal).prefix(5)).count == 5
        )
        #expect(Array(AnimationTimelineSchedule().entries(from: start, mode: .normal).prefix(5)).count == 5)
        let halves = ExplicitTimelineSchedule(HalvedDistances(from: start))
        #expect(
            halves.entries(from: start, mode: .normal).prefix(5).map { Instant($0).rfc3339 } == [
                "2026-11-20T10:00:08Z", "2026-11-20T10:00:12Z", "2026-11-20T10:00:14Z", "2026-11-20T10:00:15Z",
                "2026-11-20T10:00:15.500Z",
            ])
    }

    @Test("Entries start anew each time they are gone through")
    func again() {
        let entries = EveryMinuteTimelineSchedule().entries(from: date("2026-11-20T10:09:38Z"), mode: .normal)
        #expect(Array(entries.prefix(3)) == Array(entries.prefix(3)))
    }

    @Test("An interval that is no positive, finite number of seconds stops the program")
    func misuse() async {
        await #expect(processExitsWith: .failure) { _ = PeriodicTimelineSchedule(from: .distantPast, by: 0) }
        await #expect(processExitsWith: .failure) { _ = PeriodicTimelineSchedule(from: .distantPast, by: .nan) }
        await #expect(processExitsWith: .failure) { _ = AnimationTimelineSchedule(minimumInterval: -1) }
        await #expect(processExitsWith: .failure) { _ = AnimationTimelineSchedule(minimumInterval: .infinity) }
    }

    @Test("Whoever needs a schedule of another kind writes one")
    func custom() {
        struct Hourly: TimelineSchedule {
            func entries(from startDate: Date, mode: Mode) -> PrefixSequence<PeriodicTimelineSchedule.Entries> {
                PeriodicTimelineSchedule(from: startDate, by: mode == .normal ? 3600 : 7200)
                    .entries(from: startDate, mode: mode).prefix(2)
            }
        }
        #expect(
            texts(Hourly(), from: "2026-11-20T10:00:00Z", .lowFrequency, 9) == [
                "2026-11-20T10:00:00Z", "2026-11-20T12:00:00Z",
            ])
    }

    @Test("An instant is the same after it was a date, from the year 1 to the year 9999")
    func instants() {
        var numbers = SplitMix64(seed: 5)
        for _ in 0..<100_000 {
            let range: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999
            let instant = Instant(milliseconds: .random(in: range, using: &numbers))
            guard Instant(Date(instant)) != instant else { continue }
            Issue.record("\(instant.rfc3339) became \(Instant(Date(instant)).rfc3339)")
        }
        #expect(Instant(Date(timeIntervalSince1970: -0.0004)) == Instant(milliseconds: 0))
        #expect(Instant(Date(timeIntervalSince1970: -0.0006)) == Instant(milliseconds: -1))
        #expect(Date(at("2026-11-20T10:00:00.250Z")).timeIntervalSince1970 == 1_795_168_800.25)
    }

    // MARK: - Reading

    private func date(_ text: String) -> Date { Date(at(text)) }

    private func texts(
        _ schedule: some TimelineSchedule, from start: String, _ mode: TimelineScheduleMode, _ count: Int
    ) -> [String] {
        schedule.entries(from: date(start), mode: mode).prefix(count).map { Instant($0).rfc3339 }
    }

    private func first(of schedule: PeriodicTimelineSchedule, from start: Date) -> Date {
        var entries = schedule.entries(from: start, mode: .normal)
        return entries.next() ?? .distantPast
    }
}

/// Endless: each date lies half as far after the one before it.
private struct HalvedDistances: Sequence, IteratorProtocol, Sendable {
    private var date: Date
    private var distance: TimeInterval = 8

    init(from start: Date) {
        date = start
    }

    mutating func next() -> Date? {
        date += distance
        distance /= 2
        return date
    }
}
