package import RecordLog
package import Tracing

extension SinkRunner where Kind == TimelineWriter {
    /// Makes a run that writes timelines to a sink.
    ///
    /// - Parameters:
    ///   - shouldStop: asked after every batch, and at least ten times a second while the sink is unavailable.
    ///   - progress: called at most four times a second of the clock, and once at the end.
    ///   - notice: called with what an operator should know.
    ///   - agreesToRemove: asked once, on the run's thread, before the first removal of what the topic does not have;
    ///     false ends the run with `refused`, and nothing is removed.
    ///   - tracer: takes spans; `nil` if nobody traces.
    package convenience init(
        cluster: any Cluster, sink: any TimelineSink, settings: SinkSettings, clock: any BlockingClock,
        memory: any MemoryState = AmpleMemory(), tracer: Tracer? = nil,
        agreesToRemove: @escaping (AbsentTimelines) -> Bool = { _ in false },
        shouldStop: @escaping () -> Bool = { false },
        progress: @escaping (SinkProgress<SinkSummary>) -> Void = { _ in },
        notice: @escaping (SinkNotice) -> Void = { _ in }
    ) throws(LogError) {
        var reading = settings.reading
        reading.choice = settings.choice?.digest
        reading.readsAll = settings.removesAbsent
        let context = SinkContext(
            reading, cluster: cluster, admin: try cluster.makeAdmin(), clock: clock, shouldStop: shouldStop,
            notice: notice, memory: memory, tracer: tracer)
        let writer = TimelineWriter(sink, settings, context, agreesToRemove: agreesToRemove)
        try self.init(writer, context, progress: progress)
    }
}
