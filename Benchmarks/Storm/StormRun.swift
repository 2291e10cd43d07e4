import FaultInjection
import Foundation
import RdKafka
import RecordLog
import TestSupport

/// A run: fill, make every timeline an hour ago, stop, and the three storms one after the other.
final class StormRun {
    private let plan: StormPlan
    private let directory = TemporaryDirectory.make("storm")
    private let brokers: BrokerCluster
    private let cluster: RdKafkaCluster
    private let probes: StormProbes
    private let watch: StormWatch
    private var process: ProgramSlot?
    private var aborts = 0
    private let began = monotonicSeconds()

    init(_ plan: StormPlan) throws {
        self.plan = plan
        setenv("KAFKA_HEAP_OPTS", "-Xms512m -Xmx1g", 0)
        brokers = try BrokerCluster(brokers: 1, clients: 0, directory: directory)
        cluster = RdKafkaCluster(RdKafkaSettings(bootstrapServers: brokers.bootstrap))
        probes = try StormProbes(plan, cluster)
        watch = StormWatch(plan, cluster, probes)
    }

    func close() {
        process?.kill()
        try? brokers.kill(brokers.nodes.indices)
        try? FileManager.default.removeItem(at: directory)
    }

    /// - Returns: true if all is as it should be.
    func run() throws -> Bool {
        try fill()
        try makeTimelines()
        var figures = [try stormOfTimers()]
        figures.append(
            try fanOut("one calendar with \(plan.subscribers) subscribers changes", UInt8(ascii: "c")) { write in
                try write("calendar.events", "all/meeting", plan.event(at: .now + .hours(3)))
            })
        figures.append(
            try fanOut("one vehicle with \(plan.subscribers) subscribers changes", UInt8(ascii: "h")) { write in
                try write("vehicle.telemetry", "bus", plan.telemetry("bus", at: .now, isMoving: false))
            })
        stop()
        watch.stop()
        for column in StormTable(figures, aborts: aborts).lines { say(column) }
        return figures.allSatisfy(\.isGood) && aborts == 0
    }

    // MARK: - Before

    private func fill() throws {
        let runner = try ProcessRunner(
            plan.tideline,
            ["topics", "--partitions", "\(plan.partitions)", "--bootstrap", brokers.bootstrap], timeout: .seconds(60))
        let result = runner.waitBlocking()
        guard result.succeeded else { throw ChaosError(result.standardError) }
        var count = 0
        try write { write in
            try plan.fill { topic, key, value in
                try write(topic, key, value)
                count += 1
            }
        }
        tell("\(count) records are written")
    }

    private typealias Write = (_ topic: String, _ key: String, _ value: String) throws -> Void

    private func write(_ body: (Write) throws -> Void) throws {
        let producer = try cluster.makePlainProducer(clientId: "storm")
        defer { producer.close() }
        try body { topic, key, value in
            var key = key
            var value = value
            try key.withUTF8 { key in
                try value.withUTF8 { value in
                    try producer.produce(
                        topic: topic, partition: nil, key: UnsafeRawBufferPointer(key),
                        value: UnsafeRawBufferPointer(value), headers: [])
                }
            }
        }
        try producer.flush(timeout: .seconds(120))
    }

    /// Every timeline is made an hour ago, by the clock that the program is told.
    private func makeTimelines() throws {
        try start(["--clock", (Instant.now - .hours(1)).rfc3339])
        // Its internal topics exist as soon as it reads.
        Thread.sleep(forTimeInterval: 5)
        watch.start()
        try follow(plan.widgets, "timelines are made", atMost: 3600) {
            plan.sorts.reduce(0) { $0 + watch.reached($1.0) }
        }
        // What was offered has been announced, and told back.
        Thread.sleep(forTimeInterval: 10)
        stop()
        tell("the program has ended")
    }

    // MARK: - Storms

    private func stormOfTimers() throws -> StormFigures {
        watch.reset()
        try start([])
        let restarted = monotonicSeconds()
        guard wait(atMost: 600, every: 0.05, until: { watch.reached(UInt8(ascii: "s")) > 0 || watch.failure != nil })
        else {
            throw ChaosError("no timer fires")
        }
        tell("\(Int(monotonicSeconds() - restarted)) s after the start the first timer fires")
        return try measure("\(plan.timers) timers are due after a stop of an hour", UInt8(ascii: "s"), plan.timers)
    }

    private func fanOut(_ name: String, _ sort: UInt8, _ change: (Write) throws -> Void) throws -> StormFigures {
        Thread.sleep(forTimeInterval: 5)
        watch.reset()
        return try measure(name, sort, plan.subscribers) { try write(change) }
    }

    private func measure(
        _ name: String, _ sort: UInt8, _ count: Int, _ begin: () throws -> Void = {}
    ) throws -> StormFigures {
        probes.start()
        let usage = ProcessUsage(process?.processIdentifier)
        let start = monotonicSeconds()
        let startedAt = Instant.now.seconds
        try begin()
        try follow(count, "done: \(name)", atMost: 1800) { watch.reached(sort) }
        let seconds = monotonicSeconds() - start
        let endedAt = Instant.now.seconds
        let after = ProcessUsage(process?.processIdentifier)
        let figures = probes.stop()
        // A second timeline would come soon.
        Thread.sleep(forTimeInterval: 2)
        return StormFigures(
            name: name, wanted: count, seconds: seconds, cpuSeconds: after.cpuSeconds - usage.cpuSeconds,
            peakMegabytes: after.peakMegabytes, watch: watch.figures(sort, from: startedAt, to: endedAt),
            probes: figures)
    }

    /// Waits until the number is reached, and says every ten seconds how far it is.
    private func follow(_ count: Int, _ what: String, atMost seconds: Double, _ reached: () -> Int) throws {
        let deadline = monotonicSeconds() + seconds
        while reached() < count {
            wait(atMost: 10, every: 0.02) { reached() >= count }
            tell("\(reached()) of \(count) \(what)")
            if let failure = watch.failure { throw ChaosError("reading: \(failure)") }
            guard monotonicSeconds() < deadline else { throw ChaosError("not in \(Int(seconds)) s") }
            guard process?.isRunning == true else { throw ChaosError("the program has ended") }
        }
    }

    // MARK: - The program

    private func start(_ options: [String]) throws {
        let slot = ProgramSlot(
            "process", plan.tideline,
            ["process", "--stream-threads", "2", "--bootstrap", brokers.bootstrap]
                + ["--application", StormPlan.application] + options, logs: directory)
        try slot.start()
        process = slot
    }

    private func stop() {
        guard let process else { return }
        // Its log says an abort within ten seconds.
        process.terminate(within: 300)
        for incident in process.incidents { say(incident) }
        let log = (try? String(contentsOf: directory.appending(path: "process.1.log"), encoding: .utf8)) ?? ""
        aborts += log.matches(of: /([0-9,]+) aborts?/).last.flatMap { Int($0.1.replacing(",", with: "")) } ?? 0
        try? FileManager.default.removeItem(at: directory.appending(path: "process.1.log"))
    }

    private func tell(_ line: String) { say("\(Int(monotonicSeconds() - began)) s: \(line)") }
}
