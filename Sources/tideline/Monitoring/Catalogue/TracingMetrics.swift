import Metrics

/// The export of spans, where a collector is set.
enum TracingMetrics {
    static let spans = MetricFamily(
        "tideline_trace_spans", .counter, labels: ["outcome"],
        "Spans by what became of them: sent; dropped, for the queue was full; failed, for the collector refused them or"
            + " the process ended first.")
    static let waiting = MetricFamily("tideline_trace_waiting", .gauge, "Spans that wait to be sent.")

    static let all = [spans, waiting]
}
