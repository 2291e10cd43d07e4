import Messages
import Observability
import RecordLog
import Settings
import Sinks
import StreamRuntime
import Synchronization
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
    private let consent: RemovalConsent?

    var name: String { declaration.name }

    /// - Parameter consent: is asked before what the topic does not have is removed in the end; `nil` removes nothing.
    init(
        _ environment: Environment, _ declaration: SinkDeclaration, _ target: SinkTarget, untilCaughtUp: Bool,
        consent: RemovalConsent? = nil
    ) {
        self.environment = environment
        self.declaration = declaration
        log = SinkLog(environment.logger(for: .sinks), setting: declaration.setting)
        self.target = target
        var settings = SinkSettings(topic: environment.topic(of: target.content), of: target.content)
        settings.reading.untilCaughtUp = untilCaughtUp
        settings.removesAbsent = consent != nil
        self.consent = consent
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
        var disagreement: CommandFailure?
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
                agreesToRemove: { count in
                    disagreement = consent?.disagreement(to: count, of: declaration)
                    return consent != nil && disagreement == nil
                },
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
            if let disagreement { throw SinkFailure(disagreement, isFinal: true) }
            throw SinkFailure(of: name, error)
        }
    }
}

/// The consent to the removal of what targets hold and their topic does not. The sinks of a process ask one after the
/// other. Any thread.
final class RemovalConsent: Sendable {
    private let isGiven: Bool
    private let turn = Mutex(())

    /// - Parameter isGiven: true if nobody is asked.
    init(isGiven: Bool) { self.isGiven = isGiven }

    /// Asks for one sink, and waits for the answer.
    ///
    /// - Returns: how the program ends if nobody agrees; `nil` if somebody does.
    func disagreement(to count: AbsentTimelines, of sink: SinkDeclaration) -> CommandFailure? {
        if isGiven { return nil }
        return turn.withLock { _ in
            do throws(CommandFailure) {
                // The question is not to stand behind a bar.
                LogStream.standardError.showStatus("")
                let question = sink.isOfSettings ? "Sink \(sink.name): remove \(count)?" : "Remove \(count)?"
                try Consent.require(
                    for: question, isGiven: false, otherwise: "nothing was removed (\(count), of '\(sink.name)')")
                return nil
            } catch {
                return error
            }
        }
    }

    /// Does what draws on the terminal, unless a question stands there.
    func unlessAsking(_ draw: () -> Void) {
        if isGiven { return draw() }
        _ = turn.withLockIfAvailable { _ in draw() }
    }

    /// Refuses to remove anything beside a reset that was begun and has not ended: the topic may not be whole. Who may
    /// not look whether there is one is warned.
    ///
    /// - Throws: with status 70 if there is one.
    static func refuseReset(_ environment: Environment, _ admin: any Admin) throws(CommandFailure) {
        do throws(CommandFailure) {
            try ResetJournal.refuse(environment, admin)
        } catch {
            guard error.status == .unavailable else { throw error }
            environment.logger(for: .sinks).warning(
                "whether a reset is under way is not known, so see that the topic is whole: \(error.message)")
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
