import Diagnosis
import Messages
import RecordLog
import Settings
import Sinks
import Timelines

/// The positions of sinks that send: of reloads, and of timelines over HTTP.
extension ResetRun {
    private var ledger: LedgerReset {
        LedgerReset(application: application, cluster: environment.cluster, requests: environment.requests)
    }

    func sinks() throws(CommandFailure) -> SinkResetPlan {
        let topic = application + ".pushes"
        var plan = SinkResetPlan(topic: topic)
        let (reloads, timelines) = (environment.topics.reloads, environment.topics.timelines)
        let found = try environment.describe([topic, reloads, timelines], admin)
        guard found[topic] != nil else { return plan }
        let sinks = try attempt("cannot read \(topic)") { () throws(LogError) in try ledger.sinks() }
        guard let sinks else { throw environment.stopped("cannot read \(topic)") }
        plan.names = sinks.filter { !$0.positions.isEmpty }.map(\.name)
        plan.positions = sinks.reduce(0) { $0 + $1.positions.count(where: { $0.hasPrefix("position/") }) }
        plan.running = try running(among: plan.names)
        if let description = found[reloads] {
            plan.reloads = try extent(of: places(reloads, description.partitions)).records
        }
        if let description = found[timelines] {
            plan.timelines = try extent(of: places(timelines, description.partitions)).records
        }
        return plan
    }

    /// True if a sink keeps its positions under a name. Sinks of timelines over HTTP have that of their address there,
    /// and tell themselves under that of their declaration, with the beginning of the same digest in their target.
    private func isOf(_ status: SinkStatus, _ name: String) -> Bool {
        if name == status.name { return true }
        guard name.hasPrefix("http-"), status.topic == environment.topics.timelines else { return false }
        return status.target.hasSuffix("(\(name.dropFirst(5).prefix(8)))")
    }

    /// The sinks of these names that have told a moment ago that they run, or wait for their target, ascending by name.
    private func running(among names: [String]) throws(CommandFailure) -> [SinkResetPlan.Running] {
        if names.isEmpty { return [] }
        let topic = SinkStatusReport.topic(environment.settings)
        do throws(CommandFailure) {
            guard try environment.describe([topic], admin)[topic] != nil else { return [] }
            let now = Instant.now()
            let told = try environment.sinkStatuses().told.values
            return told.filter { status in
                names.contains { isOf(status, $0) } && [.running, .waiting].contains(status.state)
                    && now - status.at <= ElapsedTime(SinkStatusReport.silence)
            }.map { SinkResetPlan.Running(name: $0.name, state: $0.state.rawValue) }.sorted { $0.name < $1.name }
        } catch {
            if Signals.isStopRequested { throw error }
            // Who runs all the same is fenced, and loses nothing: this is no reason to refuse.
            writeError("warning: whether a sink runs is not known: \(error.message)")
            return []
        }
    }

    /// - Parameters:
    ///   - isAllowed: true if the positions of sinks that run are to be taken as well.
    ///   - standing: what was done before that and what stays, for the message.
    /// - Throws: with status 70 if a sink runs whose positions are in the plan.
    func requireNoSink(
        of plan: SinkResetPlan, isAllowed: Bool, otherwise standing: String = "nothing was changed"
    ) throws(CommandFailure) {
        guard !isAllowed, !plan.running.isEmpty else { return }
        let (count, names) = (plan.running.count, plan.running.map(\.name).joined(separator: ", "))
        throw CommandFailure(
            .software,
            "\(standing): \(count.counted("sink")) alive whose positions would go: \(names). Stop them first;"
                + " one that was killed counts as alive for \(SinkStatusReport.silence.shortText)."
                + " '--running-sinks' takes their positions all the same")
    }

    func carryOut(_ plan: SinkResetPlan) throws(CommandFailure) {
        for name in plan.names {
            try attempt("cannot take the positions of \(name) away") { () throws(LogError) in
                try ledger.reset(name)
            }
        }
    }
}
