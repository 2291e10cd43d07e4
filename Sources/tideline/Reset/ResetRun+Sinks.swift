import Diagnosis
import Messages
import RecordLog
import Settings
import Sinks

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
        if let description = found[reloads] {
            plan.reloads = try extent(of: places(reloads, description.partitions)).records
        }
        if let description = found[timelines] {
            plan.timelines = try extent(of: places(timelines, description.partitions)).records
        }
        return plan
    }

    func carryOut(_ plan: SinkResetPlan) throws(CommandFailure) {
        for name in plan.names {
            try attempt("cannot take the positions of \(name) away") { () throws(LogError) in
                try ledger.reset(name)
            }
        }
    }
}
