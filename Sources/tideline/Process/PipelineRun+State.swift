import Messages
import Pipeline
import RecordLog
import StreamCore
import StreamRuntime

/// What is found at the start that the run cannot go on with (R18): state of another *P*, cluster or other settings,
/// and outputs of another application.
extension PipelineRun {
    /// Looks at the newest records of the state and of `timelines`.
    ///
    /// - Parameter writer: CloudEvents' `source` of what this application writes.
    /// - Returns: what this run records of itself with the state.
    /// - Throws: with status 70 and what is to be done.
    static func checkState(
        _ environment: Environment, _ admin: any Admin, _ topology: Topology, _ settings: StreamSettings,
        _ layout: InternalTopics.Layout, writer: String
    ) throws(CommandFailure) -> StateTerms {
        var terms = settings.state
        terms.writers = [writer]
        let topic = environment.topics.timelines
        terms.cluster = try environment.ask("cannot ask for the cluster's id") { (timeout) throws(LogError) in
            try admin.clusterId(timeout: timeout)
        }
        let outputPartitions = try environment.describe([topic], admin)[topic]?.partitions ?? 0
        let check = StateCheck(
            environment.cluster, clientId: settings.applicationId + "-check", requests: environment.requests)
        do throws(StreamFailure) {
            let headers = try check.headers(of: settings.stateTopic, partitions: layout.partitions, topology)
            let writers = try check.writers(
                of: topic, partitions: outputPartitions, header: CloudEventHeaders.sourceName)
            let refusal = settings.misfits.refusal(
                of: headers, changelog: settings.stateTopic, partitions: layout.partitions, terms: terms,
                writers: writers)
            if let refusal { throw refusal }
            // Who was accepted once is no stranger at the next start.
            let others = Set(headers.values.flatMap(\.writers) + writers.map(\.name)).subtracting([writer])
            terms.writers += others.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            return terms
        } catch {
            // A refusal stays one; a broker that does not answer may do so later.
            if case .refused = error.kind { throw CommandFailure(.software, error.description) }
            throw CommandFailure(.unavailable, error.description)
        }
    }
}
