import Messages
import Observability
import RecordLog
import Settings
import Sinks
import StreamRuntime
import Tracing

/// One run of a sink of timelines, for `sink` and `demo`.
struct SinkRun {
    private let environment: Environment
    private let sink: any TimelineSink
    private let settings: SinkSettings
    /// Is told how far the run is; `nil` if nobody asks.
    var monitoring: SinkMonitoring?
    /// Takes spans; `nil` if nobody traces.
    var tracer: Tracer?

    var name: String { sink.name }

    /// - Throws: with status 70 if the target cannot be written to.
    init(_ environment: Environment, target: SinkTarget, untilCaughtUp: Bool) throws(CommandFailure) {
        self.environment = environment
        var settings = SinkSettings(topic: environment.topics.timelines)
        settings.reading.untilCaughtUp = untilCaughtUp
        settings.reading.acceptsMovedCluster = environment.settings[Keys.clusterMoved] == .accept
        if environment.settings[Keys.metricsListen] != nil {
            settings.reading.lagInterval = SinkMonitoring.lagInterval
        }
        // Who reads standard output may be slow, and is not to wait once they go on.
        if target == .stdout { settings.retryDelayMax = settings.retryDelay }
        self.settings = settings
        do {
            sink = try target.open(environment)
        } catch {
            throw CommandFailure(.software, "\(error)")
        }
    }

    /// Blocks until it has caught up, if that was asked for, or until `shouldStop`.
    func run(
        until shouldStop: @escaping () -> Bool = { Signals.isStopRequested },
        progress: @escaping (SinkProgress<SinkSummary>) -> Void = { _ in }
    ) throws(CommandFailure) -> SinkSummary {
        let log = SinkLog(environment.logger(for: .sinks))
        let brokers = environment.brokers
        let monitoring = self.monitoring
        let lines = sink as? LinesSink
        do {
            let runner = try SinkRunner(
                cluster: environment.cluster, sink: sink, settings: settings, clock: SleepingClock(),
                memory: environment.resources.memory, tracer: tracer,
                shouldStop: { shouldStop() || lines?.isClosed == true },
                progress: {
                    brokers?.tellRepeats()
                    monitoring?.note(SinkMonitoring.Progress($0))
                    progress($0)
                },
                notice: { notice in
                    if case .holding(let error, _) = notice { monitoring?.note(trouble: error.description) }
                    log.take(notice, brokers)
                })
            defer { brokers?.tellRepeats(isLast: true) }
            return try runner.run()
        } catch {
            throw CommandFailure(.software, "the sink cannot go on: \(error)")
        }
    }
}

extension SinkSummary {
    var json: String {
        JSONWriter.object { json in
            json.integer("records", records)
            json.integer("written", written)
            json.integer("removed", removed)
            json.integer("unchanged", unchanged)
            json.integer("startedOver", startedOver)
        }
    }
}
