import Messages
import Observability
import RecordLog
import Settings
import Sinks
import StreamRuntime
import Tracing

/// One run of a sink that keeps timelines or reloads, for `sink` and `demo`. One thread owns it.
struct SinkRun {
    private let environment: Environment
    private let declaration: SinkDeclaration
    private let target: SinkTarget
    private let settings: SinkSettings
    private let log: SinkLog
    /// Is told how far the run is; `nil` if nobody asks.
    var monitoring: SinkMonitoring?
    /// The same, for whoever asks from outside the process.
    var report: SinkStatusReport?
    /// Takes spans; `nil` if nobody traces.
    var tracer: Tracer?

    var name: String { declaration.name }

    init(
        _ environment: Environment, _ declaration: SinkDeclaration, _ target: SinkTarget, untilCaughtUp: Bool,
        removesAbsent: Bool = false
    ) {
        self.environment = environment
        self.declaration = declaration
        log = SinkLog(environment.logger(for: .sinks), setting: declaration.setting)
        self.target = target
        var settings = SinkSettings(topic: environment.topic(of: target.content), of: target.content)
        settings.reading.untilCaughtUp = untilCaughtUp
        settings.removesAbsent = removesAbsent
        settings.reading.acceptsMovedCluster = environment.settings[Keys.clusterMoved] == .accept
        if environment.settings[Keys.metricsListen] != nil {
            settings.reading.lagInterval = SinkMonitoring.lagInterval
        }
        // Of reloads each is for it.
        if target.content == .timelines { settings.choice = declaration.choice }
        settings.deadLettersTopic = environment.topics.deadLetters
        // Who reads standard output may be slow, and is not to wait once they go on.
        if target == .stdout { settings.retryDelayMax = settings.retryDelay }
        self.settings = settings
    }

    /// Blocks until it has caught up, if that was asked for, or until `shouldStop`. A target that is away is waited for
    /// as long as that lasts.
    ///
    /// - Throws: `SinkFailure`, with status 70, if the target cannot be written to before somebody changes something.
    func run(
        until shouldStop: @escaping () -> Bool = { Signals.isStopRequested },
        progress: @escaping (SinkProgress<SinkSummary>) -> Void = { _ in }
    ) throws(SinkFailure) -> SinkSummary {
        let status = SinkStatus(
            name: name, target: declaration.shown, topic: settings.reading.topic, at: .now())
        report?.begin(status)
        if !settings.reading.untilCaughtUp { log.begin(name, target: declaration.shown) }
        do throws(SinkFailure) {
            let summary = try write(until: shouldStop, progress: progress)
            report?.end(name, nil)
            return summary
        } catch {
            report?.end(name, error.command.message)
            throw error
        }
    }

    private func write(
        until shouldStop: @escaping () -> Bool, progress: @escaping (SinkProgress<SinkSummary>) -> Void
    ) throws(SinkFailure) -> SinkSummary {
        let (brokers, monitoring, report, name) = (environment.brokers, monitoring, report, name)
        let (topic, setting) = (settings.reading.topic, declaration.setting)
        func take(_ notice: SinkNotice) {
            switch notice {
            case .holding(let error, _):
                let place = error.isUnknownHost ? "; its address is that of \(setting)" : ""
                monitoring?.note(away: error.description + place)
            case .resumed: monitoring?.note(away: nil)
            case .awaiting(let error): monitoring?.note(awaiting: "\(topic): \(error.message)")
            case .brokersBack: monitoring?.note(awaiting: nil)
            default: break
            }
            report?.note(name, notice)
            log.take(notice, brokers)
        }
        do {
            let clock = SleepingClock()
            let begin = clock.now
            let held = HeldRequests(settings, clock: clock, shouldStop: shouldStop, notice: take)
            let sink = try held.repeatedly { () throws(SinkError) in
                try target.open(environment, name: name)
            }
            guard let sink else { return .stopped }
            var outlasting = settings
            outlasting.reading.hasWaited = clock.now - begin >= settings.reading.requestPatience
            let lines = sink as? LinesSink
            let runner = try SinkRunner(
                cluster: environment.cluster, sink: sink, settings: outlasting, clock: clock,
                memory: environment.resources.memory, tracer: tracer,
                shouldStop: { shouldStop() || lines?.isClosed == true },
                progress: {
                    brokers?.tellRepeats()
                    monitoring?.note(SinkMonitoring.Progress($0))
                    report?.note(
                        name, $0.positions, $0.written, records: $0.summary.records, waiting: $0.unsettled)
                    progress($0)
                }, notice: take)
            defer { brokers?.tellRepeats(isLast: true) }
            return try runner.run()
        } catch {
            throw SinkFailure(of: name, error)
        }
    }
}

extension SinkSummary {
    fileprivate static var stopped: SinkSummary {
        var summary = SinkSummary()
        summary.wasStopped = true
        return summary
    }

    /// - Parameter sink: the name of the sink, where there are several.
    func json(of sink: String? = nil) -> String {
        JSONWriter.object { json in
            json.string("sink", sink)
            json.integer("records", records)
            json.integer("written", written)
            json.integer("removed", removed)
            json.integer("unchanged", unchanged)
            json.integer("unusable", unusable)
            json.integer("startedOver", startedOver)
        }
    }
}
