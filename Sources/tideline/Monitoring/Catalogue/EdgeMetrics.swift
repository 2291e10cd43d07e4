import Metrics

/// Sinks of timelines and of reloads.
enum SinkMetrics {
    private static let sink = ["sink"]

    static let records = MetricFamily(
        "tideline_sink_records", .counter, unit: .records, labels: sink, "Records that were read.")
    static let outcomes = MetricFamily(
        "tideline_sink_outcomes", .counter, labels: ["sink", "outcome"],
        "What became of them. A sink of reloads may send one twice, and several at once.")
    static let lag = MetricFamily(
        "tideline_sink_lag_records", .gauge, unit: .records, labels: sink,
        "Records that it has still to read, or has read and not settled. Absent while the ends are not known.")
    static let lagTime = MetricFamily(
        "tideline_sink_lag_seconds", .gauge, unit: .seconds, labels: sink,
        "How long the first record that it has not read, that waits for a request to be free, or that a host which is"
            + " away does not take, has waited at most. Absent while the ends are not known.")
    static let lastSuccess = MetricFamily(
        "tideline_sink_last_success_timestamp_seconds", .gauge, unit: .seconds, labels: sink,
        "When a record was last written or delivered, in seconds since 1970; before the first, when the sink began.")
    static let startedOver = MetricFamily(
        "tideline_sink_started_over", .counter, labels: sink,
        "Partitions that were read from their beginning although a position in them was kept.")

    static let position = MetricFamily(
        "tideline_sink_position", .gauge, labels: ["sink", "partition"],
        "The offset in its topic below which everything is written, sent or set aside.")
    static let revision = MetricFamily(
        "tideline_sink_revision", .gauge, labels: sink,
        "The highest revision of a timeline that it has written since the process began. Absent before the first, and"
            + " of sinks that send or that keep reloads.")
    static let waiting = MetricFamily(
        "tideline_sink_target_away", .gauge, labels: sink,
        "1 while the target, or one of its hosts, does not take the records that wait, or is itself waited for, else"
            + " 0.")

    static let state = MetricFamily(
        "tideline_sink_state", .gauge, labels: ["sink", "state"],
        "1 for the state that it is in, else 0: running; waiting, for its target or for brokers; stopped, as it was to;"
            + " failed, with the reason in /health/ready.")

    static let failures = MetricFamily(
        "tideline_sink_failures", .counter, labels: sink,
        "How often it ended although nobody had asked for that. It begins again while others of its process go on.")

    static let all = [
        records, outcomes, lag, lagTime, lastSuccess, startedOver, position, revision, waiting, state, failures,
    ]
}

/// The HTTP API.
enum ServeMetrics {
    static let requests = MetricFamily(
        "tideline_http_requests", .counter, "Requests whose headers were read, refused ones included.")
    static let refused = MetricFamily(
        "tideline_http_refused", .counter, labels: ["reason"], "Requests that the server refused for their form.")
    static let failed = MetricFamily("tideline_http_failed", .counter, "Requests that were answered with 500.")
    static let connections = MetricFamily("tideline_http_connections", .gauge, "Connections that are open.")
    static let waiting = MetricFamily("tideline_http_waiting", .gauge, "Requests with ?wait=true that wait.")
    static let streams = MetricFamily("tideline_event_streams", .gauge, "Event streams that are open.")
    static let events = MetricFamily("tideline_events", .counter, "Events that were sent on them.")
    static let tooSlow = MetricFamily(
        "tideline_event_streams_too_slow", .counter, "Event streams that ended because their client was too slow.")
    static let entries = MetricFamily(
        "tideline_view_entries", .gauge, labels: ["view"], "Timelines, configurations and reloads in memory.")
    static let records = MetricFamily(
        "tideline_view_records", .counter, unit: .records, "Records that were read for them.")
    static let unreadable = MetricFamily(
        "tideline_view_unreadable", .counter, "Those of them that could not be read and were left out.")

    static let all = [
        requests, refused, failed, connections, waiting, streams, events, tooSlow, entries, records, unreadable,
    ]
}

/// The verbs of `produce`.
enum PublicationMetrics {
    static let records = MetricFamily(
        "tideline_published_records", .counter, unit: .records, labels: ["topic"],
        "Records that were handed to the producer.")
    static let bytes = MetricFamily(
        "tideline_published_bytes", .counter, unit: .bytes, labels: ["topic"], "The bytes of their keys and values.")
    static let acknowledged = MetricFamily(
        "tideline_published_acknowledged_timestamp_seconds", .gauge, unit: .seconds, labels: ["topic"],
        "When brokers last acknowledged records, or nothing waited for that, in seconds since 1970.")

    static let all = [records, bytes, acknowledged]
}
