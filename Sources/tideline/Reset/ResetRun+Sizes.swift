import Diagnosis
import RecordLog
import StreamCore
import StreamRuntime

/// How much what a reset touches is, in bytes.
extension ResetRun {
    /// Estimates the bytes of each topic of the plan: its offsets, each with the mean size of its newest records, as
    /// `doctor` does for the state. Topics that cannot be read keep no size: a reset does not need it.
    ///
    /// - Throws: if it is told to end.
    func measure(_ plan: inout ResetPlan) throws(CommandFailure) {
        for index in plan.internals.indices {
            let topic = plan.internals[index]
            plan.internals[index].bytes = try bytes(of: topic.name, topic.partitions, records: topic.records)
        }
        for index in plan.inputs.indices {
            let input = plan.inputs[index]
            plan.inputs[index].bytes = try bytes(
                of: input.topic, Int32(input.starts.count), records: input.records)
        }
    }

    private func bytes(
        of topic: String, _ partitions: Int32, records: Int64
    ) throws(CommandFailure) -> Int64? {
        if records == 0 { return 0 }
        let check = StateCheck(environment.cluster, clientId: application + "-reset", requests: environment.requests)
        let (mean, failure) = check.recordBytes(of: topic, partitions: partitions)
        if Signals.isStopRequested { throw environment.stopped("cannot see how much there is") }
        return failure == nil ? mean.map { Int64($0) * records } : nil
    }
}
