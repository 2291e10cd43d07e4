import Foundation
import Messages
import Observability
import Pipeline
import RecordLog
import Settings
import StreamCore
import StreamRuntime
import Timelines
import Tracing

/// The pipeline in this process: its topics are checked, its stream threads started and watched until they are to end.
final class PipelineRun {
    let environment: Environment
    private let admin: any Admin
    private let application: StreamApplication
    private let watch: CaughtUpWatch?
    /// *P*.
    private let tasks: Int
    private let topology: Topology
    private let reporter: StatusReporter?
    private let monitoring: PipelineMonitoring?
    /// `nil` for a run that ends soon.
    private let topics: TopicWatch?
    private let log: StreamLog
    private let restored = RestoreTimes()
    private let began = WallClock.uptime()

    /// The choices of one run, beside the settings.
    struct Options {
        /// How many consumers and producers this process has, each on a thread of its own; 1 or more.
        var streamThreads = 1
        /// The instant at which the clock of timelines starts; `nil` stands for the time of day.
        var clock: Instant?
        /// True if the clock stands still and the run ends once everything there was is committed.
        var untilCaughtUp = false
        /// The file that is touched while there is progress, for health checks.
        var healthFile: String?
        /// False for the mock cluster, which knows no DeleteRecords (R13).
        var removesConsumedRecords = true
        /// Serves metrics and health; `nil` serves none.
        var monitoring: Monitoring?
        /// Takes spans; `nil` if nobody traces.
        var tracer: Tracer?
        /// True if a status line is written.
        var reportsStatus = true
    }

    /// Checks and prepares the topics and starts the stream threads.
    ///
    /// - Throws: with status 69 if topics are missing or cannot be looked at, and 70 if topics or state are not what
    ///   this run can go on with.
    init(_ environment: Environment, _ admin: any Admin, _ options: Options) throws(CommandFailure) {
        self.environment = environment
        self.admin = admin
        let settings = environment.settings
        let internalTopics = InternalTopics(settings)
        try ResetJournal.refuse(environment, admin)
        let limits = try Self.recordLimits(of: environment.topics, admin, environment)
        let pipeline = PipelineSettings(settings, environment.topics, options, recordLimits: limits)
        topology = Topology.widgets(pipeline)
        let layout = try Self.prepare(internalTopics, topology, admin, environment)
        var stream = StreamSettings(settings, internalTopics, options)
        stream.state = try Self.checkState(
            environment, admin, topology, stream, layout, writer: pipeline.eventSource)
        let logger = environment.logger(for: .pipeline)
        stream.isFollowed = { logger.logLevel <= .debug }
        stream.memory = environment.resources.memory
        stream.derivation = ParallelDerivation(cores: Cores.count / options.streamThreads)
        let intervals = LiveValue(environment.live) { StreamIntervals($0) }
        stream.liveIntervals = { intervals.value }
        stream.tracer = options.tracer
        tasks = Int(layout.partitions)
        watch = options.untilCaughtUp ? try Self.watch(environment, internalTopics, topology, layout) : nil
        let lag = LagWatch()
        reporter = options.reportsStatus ? StatusReporter(environment, lag) : nil
        let topics = TopicWatch(environment, tasks: layout.partitions)
        self.topics = options.reportsStatus && watch == nil ? topics : nil
        let monitoring = options.monitoring.map { PipelineMonitoring($0, environment, lag, topics) }
        self.monitoring = monitoring
        log = StreamLog(
            environment.logger(for: .runtime), pipeline: logger, brokers: environment.brokers)
        let health = try HealthFile(options.healthFile)
        let (write, restored) = (log.observer, restored)
        application = StreamApplication(
            names: Self.names(of: options.streamThreads), cluster: environment.cluster,
            topology: topology, settings: stream,
            clock: WallClock(start: options.clock, stands: options.untilCaughtUp), layout: layout,
            targets: watch?.targets, touch: { health?.touch() },
            observer: { event in
                restored.note(event)
                monitoring?.note(event)
                write(event)
            })
        monitoring?.begin(application)
    }

    /// How soon the run looks again. One that ends does so every 25 ms, and every 100 ms while it waits for other
    /// processes, for each look asks the brokers then.
    private var pause: Duration {
        guard watch != nil else { return .milliseconds(200) }
        let statuses = application.statuses
        let waitsForOthers =
            statuses.allSatisfy(\.isBroughtUp) && statuses.reduce(0) { $0 + $1.tasks.count } < tasks
        return .milliseconds(waitsForOthers ? 100 : 25)
    }

    /// Blocks until the run has caught up, until `shouldStop`, or until a stream thread failed for good.
    ///
    /// - Returns: the summary of committed transactions.
    func run(until shouldStop: () -> Bool = { Signals.isStopRequested }) throws(CommandFailure) -> RunSummary {
        while !shouldStop() && !application.isStopping {
            if application.wait(pause) { break }
            reporter?.report(application.statuses, admin)
            let isAway = environment.brokers?.awaySince != nil
            topics?.look(admin, isAway: isAway, now: WallClock.uptime())
            monitoring?.step(application.statuses, admin, isAway: isAway)
            log.flush()
            environment.brokers?.tellRepeats()
            do throws(LogError) {
                // The group's offsets alone would let a second run end before it has made what has become due since.
                let statuses = application.statuses
                if let watch, statuses.allSatisfy(\.isBroughtUp), try watch.isCaughtUp() {
                    // Closing may send messages through the exchange: the run goes on until that is quiet again. The
                    // look saw those of what was released before it.
                    if statuses.allSatisfy(\.hasReleasedHeld) { break }
                    application.releaseHeld()
                }
            } catch {
                if environment.brokers?.absorbs(error) != true {
                    environment.logger.warning(
                        "cannot see whether all is read: \(error.message)", metadata: ["error": .string(error.name)])
                }
            }
        }
        monitoring?.end()
        application.requestStop()
        let haveEnded = awaitEnd()
        reporter?.end()
        log.flush(isLast: true)
        environment.brokers?.tellRepeats(isLast: true)
        if haveEnded {
            watch?.close()
            admin.close()
        }
        if let failure = application.failure { throw CommandFailure(.software, failure.description) }
        return summary
    }

    /// Gives the threads ten seconds to commit and to leave the group. Without a broker that would last as long as its
    /// absence. Work that is not committed is in no output and no state: the process that takes over does it again.
    ///
    /// - Returns: true if the threads ended.
    private func awaitEnd() -> Bool {
        let deadline = WallClock.uptime() + Self.endTimeout
        while !application.wait(.milliseconds(100)) {
            guard WallClock.uptime() < deadline else {
                environment.logger.warning(
                    "left without waiting for the broker any longer: what was not committed will be read again")
                return false
            }
            reporter?.report(application.statuses, admin)
        }
        return true
    }

    private static let endTimeout = Duration.seconds(10)

    var statuses: [StreamStatus] { application.statuses }

    private var summary: RunSummary {
        var counters = TaskCounters()
        for status in application.statuses { counters.add(status.counters) }
        let usage = ProcessUsage.current()
        let elapsed = WallClock.uptime() - began
        return RunSummary(
            records: counters.records, timelines: counters[.timelines],
            reloads: counters[.reloads], deadLetters: counters[.deadLetters],
            lateTelemetry: counters[.lateTelemetry], futureTelemetry: counters[.futureTelemetry],
            tooLargeTimelines: counters[.tooLargeTimelines],
            positions: PositionCounts(counters), account: counters.reloads,
            restoredRecords: restored.records, restoreSeconds: restored.seconds,
            wallSeconds: Double(elapsed.milliseconds) / 1000, cpuSeconds: usage.cpuSeconds,
            peakMemory: usage.peakMemory)
    }

    // MARK: - Starting

    private static func prepare(
        _ topics: InternalTopics, _ topology: Topology, _ admin: any Admin, _ environment: Environment
    ) throws(CommandFailure) -> InternalTopics.Layout {
        do throws(InternalTopics.Problem) {
            return try topics.prepare(for: topology, with: admin, requests: environment.requests)
        } catch {
            switch error {
            case .missing(let names): throw environment.missing(names)
            case .refused(let topic, let reason):
                throw CommandFailure(.software, "\(topic) \(reason). \(error.remedy)")
            case .failed(let cause): throw environment.unanswered("cannot look at the topics", cause)
            case .stopped: throw environment.stopped("cannot look at the topics")
            }
        }
    }

    private static func watch(
        _ environment: Environment, _ topics: InternalTopics, _ topology: Topology, _ layout: InternalTopics.Layout
    ) throws(CommandFailure) -> CaughtUpWatch {
        var inputs: [TopicPartition] = []
        for (source, partitions) in zip(topology.sources, layout.sourcePartitions) where source.isRead {
            inputs += (0..<Partition(partitions)).map { TopicPartition(source.topic, $0) }
        }
        let exchange = (0..<Partition(layout.partitions)).map { TopicPartition(topics.exchange, $0) }
        do throws(LogError) {
            let group = try environment.cluster.makeConsumer(
                group: environment.settings[Keys.application], isolation: .readCommitted,
                clientId: environment.settings[Keys.application] + "-watch")
            return try CaughtUpWatch(
                admin: environment.cluster.makeAdmin(), group: group, inputs: inputs, exchange: exchange,
                timeout: .seconds(30))
        } catch {
            throw CommandFailure(.unavailable, "cannot see where the inputs end: \(error)")
        }
    }

    /// The `max.message.bytes` of the topics of outputs, by topic, as far as the broker says it.
    ///
    /// - Throws: with status 69, naming all topics of inputs and outputs that are missing.
    private static func recordLimits(
        of topics: TopicNames, _ admin: any Admin, _ environment: Environment
    ) throws(CommandFailure) -> [String: Int] {
        let found = try environment.require([(topics.inputs, .read), (topics.outputs, .write)], admin)
        return found.filter { topics.outputs.contains($0.key) }.compactMapValues(\.recordBytesMax)
    }

    /// A random name for each thread (R4); of several they begin alike and end with their numbers, so that each process
    /// of the group is known by the names of its threads (`StandbyPlace`).
    private static func names(of threads: Int) -> [String] {
        let process = String(UInt64.random(in: .min ... .max), radix: 36)
        return threads == 1 ? [process] : (1...threads).map { "\(process).\($0)" }
    }
}
