import Producers
import RecordLog
import Testing
import Timelines

@Suite("The publisher")
struct PublisherTests {
    private let producer = KeptProducer()
    private let clock = SteppingClock()

    /// The times on the clock at which a source's records are published.
    private func publishTimes(_ source: some RecordSource, pacing: Pacing) throws -> [Duration] {
        var times: [Duration] = []
        let publisher = Publisher(
            producer: producer, clock: clock,
            shouldStop: {
                if times.count < producer.records.count { times.append(clock.now) }
                return false
            })
        _ = try publisher.publish(source, to: "t", pacing: pacing)
        return times
    }

    @Test("publishes keys, values, tombstones and headers as the source made them, and waits for the acknowledgement")
    func publishes() throws {
        let source = ListSource([
            SourceRecord(key: [1], value: [2, 3], headers: [Header("h", "v")]), SourceRecord(key: [1], value: nil),
            SourceRecord(key: [], value: []),
        ])
        let summary = try Publisher(producer: producer, clock: clock).publish(source, to: "t")
        #expect(producer.records.map(\.value) == [[2, 3], nil, []])
        #expect(producer.records.map(\.key) == [[1], [1], []])
        #expect(producer.records[0].headers == [Header("h", "v")])
        #expect(producer.records.allSatisfy { $0.topic == "t" && $0.partition == -1 }, "the key decides the partition")
        #expect(producer.flushes == 1)
        #expect(summary.records == 3 && summary.tombstones == 1 && summary.bytes == 4 && !summary.wasStopped)
        #expect(clock.waits == 0)
    }

    @Test("with a speed-up waits for the data time between records, and steps back count as none")
    func speedup() throws {
        // Seconds of data time; the way forward is 10 + 30 + 5.
        let source = ListSource([100, 110, 50, 80, 85].map(record))
        let times = try publishTimes(source, pacing: .speedup(10))
        #expect(times == [.zero, .seconds(1), .seconds(1), .seconds(4), .milliseconds(4500)])
        #expect(clock.now == .milliseconds(4500))
    }

    @Test("with a rate sends so many a second")
    func rate() throws {
        _ = try Publisher(producer: producer, clock: clock).publish(
            ListSource((0..<21).map(record)), to: "t", pacing: .rate(4))
        #expect(clock.now == .seconds(5))
    }

    @Test("with a rate does not catch up with what a silence of the source kept back")
    func silence() throws {
        let clock = clock
        let source = SilentSource(ListSource((0..<20).map(record)), at: 10) { clock.now += .seconds(60) }
        let times = try publishTimes(source, pacing: .rate(4))
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= .milliseconds(250) }, "\(times)")
        #expect(clock.now >= .milliseconds(64_500) && clock.now < .seconds(66))
    }

    @Test("stops in the middle of a wait when it is asked to")
    func stops() throws {
        let publisher = Publisher(producer: producer, clock: clock, shouldStop: { clock.now >= .seconds(2) })
        let summary = try publisher.publish(ListSource([0, 3600].map(record)), to: "t", pacing: .speedup(1))
        #expect(summary.records == 1 && summary.wasStopped)
        #expect(clock.now < .milliseconds(2200))
        #expect(producer.flushes == 1)
    }

    @Test("ends at a limit, and tells how far it is")
    func limit() throws {
        var told: [PublishProgress] = []
        let publisher = Publisher(producer: producer, clock: clock, progress: { told.append($0) })
        let fleet = FleetSimulator(count: 3, seed: 1, start: Instant(milliseconds: 0))
        let summary = try publisher.publish(fleet, to: "t", pacing: .rate(10), limit: 20)
        #expect(summary.records == 20 && producer.records.count == 20)
        #expect(told.count > 4)
        #expect(told.last?.records == 20 && told.last?.fractionDone == 1)
        #expect(told.dropLast().allSatisfy { $0.fractionDone! < 1 })
        #expect(zip(told, told.dropFirst()).allSatisfy { $0.records <= $1.records })
    }

    @Test("has everything before a problem acknowledged, then names it")
    func inputProblem() throws {
        let problem = InputProblem(file: "a.csv", line: 3, reason: "bad")
        let source = ListSource([record(0), record(1)], then: problem)
        let error = #expect(throws: PublishError.self) {
            try Publisher(producer: producer, clock: clock).publish(source, to: "t")
        }
        #expect(error == .input(problem))
        #expect(error?.description == "a.csv:3: bad")
        #expect(producer.records.count == 2 && producer.flushes == 1)
    }

    @Test("waits for room as long as the queue is full, and loses nothing; a stop ends it")
    func fullQueue() throws {
        producer.fullCount = 5
        let summary = try Publisher(producer: producer, clock: clock).publish(ListSource([record(0)]), to: "t")
        #expect(summary.records == 1 && producer.records.count == 1)
        producer.fullCount = .max
        let (producer, before) = (producer, producer.fullCount)
        let stopped = try Publisher(
            producer: producer, clock: clock, shouldStop: { producer.fullCount < before - 3 }
        ).publish(ListSource([record(0)]), to: "t")
        #expect(stopped.records == 0 && stopped.wasStopped)
    }

    @Test("passes on what the log says")
    func logError() throws {
        producer.failure = LogError(.unreachable, name: "_ALL_BROKERS_DOWN", "no broker")
        let error = #expect(throws: PublishError.self) {
            try Publisher(producer: producer, clock: clock).publish(ListSource([record(0)]), to: "t")
        }
        #expect(error == producer.failure.map { .log($0) })
    }

    @Test("in real time sends nothing before it is due, and at once what is late")
    func realTime() throws {
        clock.start = Instant(milliseconds: 100_000)
        let times = try publishTimes(ListSource([90, 100, 103, 104].map(record)), pacing: .realTime)
        #expect(times == [.zero, .zero, .seconds(3), .seconds(4)])
    }

    @Test("sends thousands a second in bursts, at the rate that it was told")
    func bursts() throws {
        _ = try Publisher(producer: producer, clock: clock).publish(
            ListSource((0..<20_000).map(record)), to: "t", pacing: .rate(2000))
        #expect(clock.now >= .milliseconds(9999) && clock.now < .milliseconds(10_010))
        #expect(clock.waits <= 2000)
    }

    @Test("is well while records are acknowledged or none waits, and not when the broker is gone")
    func health() throws {
        var well: [Duration] = []
        let publisher = Publisher(
            producer: producer, clock: clock,
            shouldStop: {
                // From the tenth second on nothing is acknowledged.
                if clock.now >= .seconds(10) { producer.waiting = producer.records.count - 11 }
                return false
            }, healthy: { well.append(clock.now) })
        _ = try publisher.publish(ListSource((0..<60).map(record)), to: "t", pacing: .speedup(1))
        #expect((9...12).contains(well.count), "\(well)")
        #expect(zip(well, well.dropFirst()).allSatisfy { $1 - $0 >= .seconds(1) })
        #expect(well.last! <= .seconds(12))
    }

    private func record(_ second: Int) -> SourceRecord {
        SourceRecord(key: [0], value: [], due: Instant(milliseconds: Int64(second) * 1000))
    }
}

/// A source of which nothing comes for a while.
private final class SilentSource: RecordSource {
    private let source: ListSource
    private let place: Int
    private let wait: () -> Void
    private var count = 0

    init(_ source: ListSource, at place: Int, wait: @escaping () -> Void) {
        self.source = source
        self.place = place
        self.wait = wait
    }

    var fractionDone: Double? { nil }

    func next() throws(InputProblem) -> SourceRecord? {
        if count == place { wait() }
        count += 1
        return try source.next()
    }
}
