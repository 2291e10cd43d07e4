import Metrics

/// What others call the metric that is nearest to one of these, for whoever comes from them. It measures alike, and is
/// not always the same: `Documentation/Metrics.md` has it beside each metric.
struct MetricCounterpart {
    let family: MetricFamily
    /// The names in Kafka Streams, and in the Java clients that are part of it.
    let streams: [String]
    /// The names in the semantic conventions of OpenTelemetry.
    let openTelemetry: [String]

    init(_ family: MetricFamily, streams: [String] = [], openTelemetry: [String] = []) {
        self.family = family
        self.streams = streams
        self.openTelemetry = openTelemetry
    }

    /// In the order of the catalogue. A metric that nobody else has is not among them.
    static let all: [MetricCounterpart] = [
        .init(ProcessMetrics.uptime, openTelemetry: ["process.uptime"]),
        .init(ProcessMetrics.cpu, openTelemetry: ["process.cpu.time"]),
        .init(ProcessMetrics.memory, openTelemetry: ["process.memory.usage"]),
        .init(ProcessMetrics.openFiles, openTelemetry: ["process.unix.file_descriptor.count"]),
        .init(ClientMetrics.requests, streams: ["request-total"]),
        .init(ClientMetrics.responses, streams: ["response-total"]),
        .init(ClientMetrics.sentBytes, streams: ["outgoing-byte-total"]),
        .init(ClientMetrics.receivedBytes, streams: ["incoming-byte-total"]),
        .init(
            ClientMetrics.sentMessages, streams: ["record-send-total"],
            openTelemetry: ["messaging.client.sent.messages"]),
        .init(
            ClientMetrics.receivedMessages, streams: ["records-consumed-total"],
            openTelemetry: ["messaging.client.consumed.messages"]),
        .init(ClientMetrics.errors, streams: ["record-error-total"]),
        .init(ClientMetrics.roundTrip, streams: ["request-latency-max"]),
        .init(ClientMetrics.throttle, streams: ["fetch-throttle-time-avg", "produce-throttle-time-avg"]),
        .init(PipelineMetrics.threads, streams: ["alive-stream-threads", "failed-stream-threads"]),
        .init(PipelineMetrics.progressAge, streams: ["last-poll-seconds-ago"]),
        .init(
            PipelineMetrics.consumed, streams: ["process-rate", "process-total"],
            openTelemetry: ["messaging.client.consumed.messages"]),
        .init(PipelineMetrics.lagRecords, streams: ["records-lag"]),
        .init(
            PipelineMetrics.latency, streams: ["record-e2e-latency-avg", "record-e2e-latency-max"],
            openTelemetry: ["messaging.process.duration"]),
        .init(PipelineMetrics.deadLetters, streams: ["dropped-records-rate", "dropped-records-total"]),
        .init(PipelineMetrics.transactions, streams: ["commit-rate", "commit-total"]),
        .init(
            PipelineMetrics.commitTime, streams: ["commit-latency-avg", "commit-latency-max"],
            openTelemetry: ["messaging.client.operation.duration"]),
        .init(PipelineMetrics.rebalances, streams: ["rebalance-total"]),
        .init(PipelineMetrics.rebalanceTime, streams: ["rebalance-latency-avg", "rebalance-latency-max"]),
        .init(PipelineMetrics.restored, streams: ["restore-rate", "restore-total"]),
        .init(PipelineMetrics.restoreRemaining, streams: ["restore-remaining-records-total"]),
        .init(PipelineMetrics.stateEntries, streams: ["estimate-num-keys"]),
        .init(
            SinkMetrics.records, streams: ["records-consumed-total"],
            openTelemetry: ["messaging.client.consumed.messages"]),
        .init(SinkMetrics.lag, streams: ["records-lag"]),
        .init(ServeMetrics.requests, openTelemetry: ["http.server.request.duration"]),
        .init(
            ServeMetrics.records, streams: ["records-consumed-total"],
            openTelemetry: ["messaging.client.consumed.messages"]),
        .init(
            PublicationMetrics.records, streams: ["record-send-total"],
            openTelemetry: ["messaging.client.sent.messages"]),
        .init(TracingMetrics.spans, openTelemetry: ["otel.sdk.exporter.span.exported"]),
        .init(TracingMetrics.waiting, openTelemetry: ["otel.sdk.processor.span.queue.size"]),
    ]
}
