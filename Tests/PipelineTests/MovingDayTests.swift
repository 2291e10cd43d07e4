import Messages
import Pipeline
import RecordLog
import SimulatedDays
import Simulation
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// A small day of a fleet through stream threads, on a log in memory, while members come and go.
    @Suite struct MovingDayTests {
        private static let day = FleetDay(seed: 5, scale: .init(vehicles: 8, changesPerVehicle: 14, hours: 6))

        private static func asOnTheDay(_ settings: inout PipelineSettings) {
            settings.kinds = WidgetKinds(FleetDay.kinds)
            settings.reload = .init()
        }

        @Test("While members join, leave and die, recipients are told the same as by tasks that nothing happens to")
        func moves() async throws {
            let day = Self.day
            let told = ToldReloads()
            _ = DayRun(day, observers: [told])
            try #require(told.values.count > 3 && told.instants.count > 200)
            try await PipelineFixture.run(
                .init(partitions: [3, 3, 3], change: Self.asOnTheDay),
                at: (day.start - .seconds(60)).rfc3339
            ) { fixture in
                // What holds for every record is checked once, at the end.
                fixture.memory?.afterStep = {}
                var moves = Moves(seed: day.seed, fixture)
                var next = 0
                for instant in told.instants {
                    fixture.advance(instant - fixture.clock.now)
                    while next < day.inputCount, day.instant(of: next) == instant {
                        fixture.put(day[next])
                        next += 1
                    }
                    try await moves.play()
                    try #require(fixture.memory).settle(fixture.plan)
                }
                try await fixture.readOutputs()
                #expect(moves.count > 20)
                var values: [String: [String]] = [:]
                for each in fixture.outputs.reloads {
                    values[each.reload.recipient, default: []].append(each.record.valueText ?? "")
                }
                for recipient in Set(values.keys).union(told.values.keys).sorted() {
                    let (seen, expected) = (values[recipient] ?? [], told.values[recipient] ?? [])
                    let first = zip(seen, expected).first { $0 != $1 }
                    #expect(first == nil, "\(recipient)")
                    #expect(seen.count == expected.count, "\(recipient)")
                }
            }
        }
    }
}

/// The values of reloads by recipient, and when anything happened.
private final class ToldReloads: DayObserver {
    private(set) var values: [String: [String]] = [:]
    private(set) var instants: [Instant] = []

    func timeline(key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?, headers: [Header], at: Instant) {}

    func reload(key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, headers: [Header], at: Instant) {
        values[String(decoding: key, as: UTF8.self), default: []].append(String(decoding: value, as: UTF8.self))
    }

    func endInstant(_ at: Instant) { instants.append(at) }
}

extension PipelineFixture {
    fileprivate func put(_ input: FleetDay.Input) {
        let topic = [topics.telemetry, topics.calendarEvents, topics.configurations][input.source]
        put(topic, key: input.key, input.value, partition: input.partition(of: 3))
    }
}

/// Members that come and go at some instants, in the middle of what is done then.
private struct Moves {
    private var random: SplitMix64
    private let fixture: PipelineFixture
    private(set) var count = 0

    init(seed: UInt64, _ fixture: PipelineFixture) {
        random = SplitMix64(seed: seed)
        self.fixture = fixture
    }

    mutating func play() async throws {
        guard let stage = fixture.memory else { throw FixtureFailure("moves are for a cluster in memory") }
        guard Int.random(in: 0..<12, using: &random) == 0 else {
            stage.put(fixture.inputs)
            fixture.inputs = []
            return
        }
        count += 1
        for _ in 0..<Int.random(in: 0..<4, using: &random) { try fixture.step() }
        let victim = stage.threads.keys.sorted().randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<3, using: &random) {
        case 0 where stage.threads.count < 4: try await fixture.startThread()
        case 1 where stage.threads.count > 1: try stage.stop(victim)
        default:
            stage.crash(victim, fixture.plan)
            if stage.threads.isEmpty { try await fixture.startThread() }
        }
        for _ in 0..<Int.random(in: 0..<4, using: &random) { try fixture.step() }
        stage.put(fixture.inputs)
        fixture.inputs = []
    }
}
