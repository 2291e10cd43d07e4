import Metrics
import StreamRuntime

/// The pipeline. Counters count what is committed, from the start of the process.
enum PipelineMetrics {
    static let tasks = MetricFamily(
        "tideline_tasks", .gauge, labels: ["state"],
        "Tasks of this process: waiting for their offsets, restoring, running, or kept as standby copies.")
    static let threads = MetricFamily(
        "tideline_stream_threads", .gauge, labels: ["state"],
        "Stream threads, by the state of what they owe to brokers: ready and open are well.")
    static let progressAge = MetricFamily(
        "tideline_stream_progress_age_seconds", .gauge, unit: .seconds,
        "How long ago the slowest stream thread committed, restored or, where there is nothing to do, heard of a "
            + "broker.")
    static let consumed = MetricFamily(
        "tideline_consumed_records", .counter, unit: .records,
        "Records of inputs that were read and committed. A commit that has no answer before the thread loses its tasks"
            + " does not count, even if it took place.")
    static let forwarded = MetricFamily(
        "tideline_forwarded_records", .counter, unit: .records,
        "Those of them that were sent to the task that owns their vehicle, calendar or configuration.")
    static let lagRecords = MetricFamily(
        "tideline_consumer_lag_records", .gauge, unit: .records, labels: ["topic"],
        "Records of a topic that this process's tasks have still to read. Absent while the ends are not known.")
    static let lagTime = MetricFamily(
        "tideline_consumer_lag_seconds", .gauge, unit: .seconds, labels: ["topic"],
        "For how long the first record that is not read can have waited, at most; 0 where none waits. Absent where it"
            + " is not known.")
    static let latency = MetricFamily(
        "tideline_record_e2e_latency_seconds", .histogram, unit: .seconds, labels: ["topic"],
        "From when the oldest record of a partition in a transaction was produced until the transaction with all that "
            + "follows from it was committed. What goes on at another task counts there, as of the exchange.")
    static let timelines = MetricFamily("tideline_timelines", .counter, "Timelines that were published.")
    static let tooLargeTimelines = MetricFamily(
        "tideline_timelines_too_large", .counter, "Those of them that say that they were too large.")
    static let reloads = MetricFamily("tideline_reloads", .counter, "Reloads that were published.")
    static let changes = MetricFamily(
        "tideline_reload_changes", .counter, labels: ["kind", "reason", "outcome"],
        "Changes of timelines, by what became of them (Documentation/Reloads.md).")
    static let positions = MetricFamily(
        "tideline_positions", .counter, labels: ["outcome"], "What became of readers' positions.")
    static let deadLetters = MetricFamily(
        "tideline_dead_letters", .counter, labels: ["topic", "reason"],
        "Records that could not be used, by the topic that they came from.")
    static let lateTelemetry = MetricFamily(
        "tideline_telemetry_late", .counter, "Telemetry that was dropped because newer was known of its vehicle.")
    static let futureTelemetry = MetricFamily(
        "tideline_telemetry_future", .counter, "Telemetry from the future, which counted as observed at its arrival.")
    static let transactions = MetricFamily(
        "tideline_transactions", .counter, labels: ["outcome"],
        "Transactions that were committed or aborted. One whose outcome is not known before the thread loses its tasks"
            + " counts as aborted.")
    static let refused = MetricFamily(
        "tideline_transactions_refused", .counter,
        "Refusals that another try does not change, such as for a permission that is missing. Five in a row end a"
            + " thread, some fifteen seconds after the first.")
    static let commitTime = MetricFamily(
        "tideline_commit_duration_seconds", .histogram, unit: .seconds, "From the flush of a commit to its success.")
    static let commitAge = MetricFamily(
        "tideline_commit_age_seconds", .gauge, unit: .seconds, "The time since the latest commit; absent before it.")
    static let rebalances = MetricFamily(
        "tideline_rebalances", .counter, labels: ["event"], "Callbacks of rebalances: assigned, revoked, lost.")
    static let rebalanceTime = MetricFamily(
        "tideline_rebalance_duration_seconds", .histogram, unit: .seconds,
        "How long such a callback kept a stream thread, with the commit of what it gave up.")
    static let restoreTime = MetricFamily(
        "tideline_restore_duration_seconds", .histogram, unit: .seconds, "From the assignment of a task until it ran.")
    static let restored = MetricFamily(
        "tideline_restored_records", .counter, unit: .records, "Records of the changelog that were read for that.")
    static let restoreRemaining = MetricFamily(
        "tideline_restore_remaining_records", .gauge, unit: .records,
        "Records of the changelog that tasks have still to read before they run.")
    static let stateEntries = MetricFamily(
        "tideline_state_entries", .gauge, labels: ["store"], "Keys of a state store, of all tasks of this process.")
    static let stateBytes = MetricFamily(
        "tideline_state_bytes", .gauge, unit: .bytes, labels: ["store"],
        "Memory of its stored values and keys. What is derived of them is not counted.")
    static let timersArmed = MetricFamily("tideline_timers_armed", .gauge, "Timers that wait for their date.")
    static let timersDue = MetricFamily(
        "tideline_timers_due", .gauge,
        "Timers whose date has come and that have not fired; of each stream thread \(StreamMeasures.dueMax) are counted"
            + " at most.")
    static let timerDelay = MetricFamily(
        "tideline_timer_delay_seconds", .gauge, unit: .seconds,
        "How late the latest of them is that may fire: timers of vehicles wait for telemetry after a restore (R17).")
    static let stalled = MetricFamily(
        "tideline_stalled_partitions", .gauge, "Partitions that have records to read and give none.")
    static let stalls = MetricFamily(
        "tideline_stalls", .counter, labels: ["remedy"], "What was done about them: seek, reassign, retake.")
    static let lostPositions = MetricFamily(
        "tideline_lost_positions", .counter,
        "Partitions that were not gone on with where their positions were: records were removed unread, or it is "
            + "another topic.")
    static let producersReplaced = MetricFamily(
        "tideline_producers_replaced", .counter, "Producers that were of no use any more; five in a row end a thread.")

    static let topicFaults = MetricFamily(
        "tideline_topic_faults", .gauge, labels: ["topic", "fault"],
        "What is wrong with a topic: it is missing, has other settings, or another number of partitions than at the"
            + " start. Looked at every five seconds.")

    static let all = [
        topicFaults,
        tasks, threads, progressAge, consumed, forwarded, lagRecords, lagTime, latency, timelines, tooLargeTimelines,
        reloads, changes, positions, deadLetters, lateTelemetry, futureTelemetry, transactions, refused, commitTime,
        commitAge,
        rebalances, rebalanceTime, restoreTime, restored, restoreRemaining, stateEntries, stateBytes, timersArmed,
        timersDue, timerDelay, stalled, stalls, lostPositions, producersReplaced,
    ]
}
