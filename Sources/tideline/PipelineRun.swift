import Foundation
import Messages
import Observability
import Pipeline
import RecordLog
import Settings
import StreamCore
import StreamRuntime
import Timelines

/// The pipeline in this process: its topics checked, its stream threads started, watched until they are to end.
final class PipelineRun {
    let environment: Environment
    private let admin: any Admin
    private let application: StreamApplication
    private let watch: CaughtUpWatch?
    private let topology: Topology
    private let reporter: StatusReporter?
    private let log: StreamLog
    private let began = WallClock.uptime()

    struct Options {
        var streamThreads = 1
        var clock: Instant?
        var untilCaughtUp = false
        var healthFile: String?
        /// The mock cluster knows no DeleteRecords (R13).
        var removesConsumedRecords = true
        /// Whether a status line is written.
        var tellsStatus = true
    }

    init(_ environment: Environment, _ admin: any Admin, _ options: Options) throws(CommandFailure) {
        self.environment = environment
        self.admin = admin
        let settings = environment.settings
        let applicationId = settings[Keys.application]
        let replication = settings[Keys.internalReplication]
        let internalTopics = InternalTopics(
            applicationId: applicationId, replication: replication < 1 ? nil : Int32(replication))
        var pipeline = PipelineSettings(topics: environment.topics, application: applicationId)
        pipeline.leavesWhenCaughtUp = options.untilCaughtUp
        pipeline.startsClockAnew = options.clock != nil
        pipeline.pauseMilliseconds = Int64(settings[Keys.pause].milliseconds)
        pipeline.spreadMilliseconds = Int64(settings[Keys.spread].milliseconds)
        // A clock that was started at another time says nothing about when a record arrived.
        pipeline.telemetryFuture =
            options.clock == nil
            ? settings[Keys.telemetryFuture].map { ElapsedTime(milliseconds: Int64($0.milliseconds)) } : nil
        pipeline.kinds = settings[Keys.kinds]
        pipeline.reload = settings.reload
        pipeline.adopt(try Self.limits(of: environment.topics, admin))
        topology = Topology.widgets(pipeline)
        let layout = try Self.prepare(internalTopics, topology, admin, environment)

        var stream = StreamSettings(
            applicationId: applicationId, exchangeTopic: internalTopics.exchange, stateTopic: internalTopics.state)
        stream.commitInterval = .milliseconds(settings[Keys.commitInterval])
        stream.transactionTimeout = settings[Keys.transactionTimeout]
        stream.removesConsumedRecords = options.removesConsumedRecords
        watch = options.untilCaughtUp ? try Self.watch(environment, internalTopics, topology, layout) : nil
        reporter = options.tellsStatus ? StatusReporter(environment) : nil
        log = StreamLog(environment.logger, brokers: environment.brokers)
        let health = try HealthFile(options.healthFile)
        application = StreamApplication(
            names: (0..<options.streamThreads).map { _ in Self.randomName() }, cluster: environment.cluster,
            topology: topology, settings: stream,
            clock: WallClock(start: options.clock, stands: options.untilCaughtUp), layout: layout,
            targets: watch?.targets, touch: { health?.touch() }, observer: log.observer)
    }

    /// Blocks until the run has caught up, `shouldStop`, or a stream thread failed for good.
    ///
    /// - Returns: what was done, of committed transactions only.
    func run(until shouldStop: () -> Bool = { Signals.isStopRequested }) throws(CommandFailure) -> RunSummary {
        while !shouldStop() && !application.isStopping {
            if application.wait(.milliseconds(watch == nil ? 200 : 100)) { break }
            reporter?.report(application.statuses, admin)
            log.flush()
            do throws(LogError) {
                // The group's offsets alone would let a second run end before it has made what has become due since.
                if let watch, application.statuses.allSatisfy(\.isBroughtUp), try watch.isCaughtUp() {
                    // What closes may be answered, through the exchange: then it goes on until that is quiet again.
                    if application.statuses.allSatisfy(\.isClosedOut) { break }
                    application.releaseHeld()
                }
            } catch {
                if environment.brokers?.absorbs(error) != true {
                    environment.logger.warning(
                        "cannot see whether all is read: \(error.message)", metadata: ["error": .string(error.name)])
                }
            }
        }
        application.requestStop()
        let haveEnded = awaitEnd()
        reporter?.end()
        log.flush(isLast: true)
        if haveEnded {
            watch?.close()
            admin.close()
        }
        if let failure = application.failure { throw CommandFailure(.software, failure.description) }
        return summary
    }

    /// Gives the threads time to commit and to leave the group. Without a broker that would last as long as its
    /// absence; but what is not committed is in no output and no state, and who takes over reads it again.
    ///
    /// - Returns: whether they ended.
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
        var counters = TaskCounters(outputs: topology.outputs.count)
        for status in application.statuses { counters.add(status.counters) }
        let usage = ProcessUsage.current()
        let elapsed = WallClock.uptime() - began
        return RunSummary(
            records: counters.records, timelines: counters.outputs[Output.timelines],
            reloads: counters.outputs[Output.reloads], deadLetters: counters.outputs[Output.deadLetters],
            lateTelemetry: counters.late, futureTelemetry: counters.fromFuture, account: counters.reloads,
            wallSeconds: Double(elapsed.milliseconds) / 1000, cpuSeconds: usage.cpuSeconds,
            peakMemory: usage.peakMemory)
    }

    // MARK: - Starting

    private static func prepare(
        _ topics: InternalTopics, _ topology: Topology, _ admin: any Admin, _ environment: Environment
    ) throws(CommandFailure) -> InternalTopics.Layout {
        do throws(InternalTopics.Problem) {
            return try topics.prepare(for: topology, with: admin, timeout: environment.settings[Keys.connectTimeout])
        } catch {
            switch error {
            case .missing(let names): throw environment.missing(names)
            case .refused(let topic, let reason): throw CommandFailure(.unavailable, "\(topic) \(reason)")
            case .failed(let cause): throw CommandFailure(.unavailable, "cannot look at the topics: \(cause)")
            }
        }
    }

    private static func watch(
        _ environment: Environment, _ topics: InternalTopics, _ topology: Topology, _ layout: InternalTopics.Layout
    ) throws(CommandFailure) -> CaughtUpWatch {
        var inputs: [TopicPartition] = []
        for (source, partitions) in zip(topology.sources, layout.sourcePartitions) {
            inputs += (0..<partitions).map { TopicPartition(source.topic, $0) }
        }
        let exchange = (0..<layout.partitions).map { TopicPartition(topics.exchange, $0) }
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

    private static func limits(of topics: TopicNames, _ admin: any Admin) throws(CommandFailure) -> [String: Int] {
        do throws(LogError) {
            let found = try admin.describeTopics([topics.timelines, topics.deadLetters], timeout: .seconds(30))
            var limits: [String: Int] = [:]
            for (name, description) in found {
                limits[name] = description.settings["max.message.bytes"].flatMap { Int($0) }
            }
            return limits
        } catch {
            throw CommandFailure(.unavailable, "cannot look at the topics: \(error)")
        }
    }

    private static func randomName() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36)
    }
}

extension PipelineSettings {
    /// The broker refuses what is larger than the topic allows, and such a refusal comes back for ever (R11).
    fileprivate mutating func adopt(_ limits: [String: Int]) {
        // Room for key, headers and the batch around them.
        if let limit = limits[topics.timelines] { timelineBytesMax = max(limit - 4096, 1024) }
        if let limit = limits[topics.deadLetters] { deadLetterBytesMax = max(limit - 1024, 1024) }
    }
}
