import Metrics

/// All metrics, by who has them. Documentation/Metrics.md is made of these lists.
enum MetricsCatalogue {
    /// What every process that serves metrics has.
    static let process = ProcessMetrics.all + ClientMetrics.all

    static let pipeline = process + TracingMetrics.all + PipelineMetrics.all
    static let sink = process + TracingMetrics.all + SinkMetrics.all
    static let serve = process + ServeMetrics.all
    static let produce = process + PublicationMetrics.all
}

/// The process itself.
enum ProcessMetrics {
    static let build = MetricFamily(
        "tideline_build", .info, labels: ["version", "verb", "zone_data"],
        "The release, the verb that runs, and the version of its zone database.")
    static let health = MetricFamily(
        "tideline_health", .gauge, labels: ["check"],
        "1 where the check live, ready or startup says yes, else 0; /health/CHECK says why.")
    static let uptime = MetricFamily("tideline_uptime_seconds", .gauge, unit: .seconds, "The age of the process.")
    static let cpu = MetricFamily(
        "tideline_cpu_seconds", .counter, unit: .seconds, "Processor time of all threads, user and system.")
    static let memory = MetricFamily(
        "tideline_memory_resident_bytes", .gauge, unit: .bytes, "Memory that is resident now.")
    static let memoryPeak = MetricFamily(
        "tideline_memory_peak_bytes", .gauge, unit: .bytes, "The most memory that was resident at once.")
    static let memoryPressure = MetricFamily(
        "tideline_memory_pressure", .gauge,
        "1 while memory is short: more than memory.warningThreshold of the limit is resident; else 0.")
    static let memoryLimit = MetricFamily(
        "tideline_memory_limit_bytes", .gauge, unit: .bytes,
        "The memory that the process is to have (memory.limit). Absent where there is no limit.")
    static let openFiles = MetricFamily("tideline_open_files", .gauge, "Descriptors that are open.")
    static let openFilesLimit = MetricFamily(
        "tideline_open_files_limit", .gauge, "Descriptors that may be open (RLIMIT_NOFILE).")
    static let brokerAway = MetricFamily(
        "tideline_broker_away_seconds", .gauge, unit: .seconds,
        "For how long a broker of the cluster has been out of reach; 0 where none is.")

    static let all = [
        build, health, uptime, cpu, memory, memoryPeak, memoryLimit, memoryPressure, openFiles, openFilesLimit,
        brokerAway,
    ]
}

/// librdkafka's own measurements, renewed every ten seconds. The handles of a process with one role count together.
enum ClientMetrics {
    private static let role = ["role"]

    static let handles = MetricFamily(
        "tideline_client_handles", .gauge, labels: role, "Consumers and producers of librdkafka that report.")
    static let requests = MetricFamily(
        "tideline_client_requests", .counter, labels: role, "Requests that were sent to brokers.")
    static let responses = MetricFamily(
        "tideline_client_responses", .counter, labels: role, "Responses that brokers sent.")
    static let sentBytes = MetricFamily(
        "tideline_client_sent_bytes", .counter, unit: .bytes, labels: role, "Bytes that were sent to brokers.")
    static let receivedBytes = MetricFamily(
        "tideline_client_received_bytes", .counter, unit: .bytes, labels: role, "Bytes that brokers sent.")
    static let sentMessages = MetricFamily(
        "tideline_client_sent_messages", .counter, labels: role, "Records that were sent to brokers.")
    static let receivedMessages = MetricFamily(
        "tideline_client_received_messages", .counter, labels: role,
        "Records that brokers sent, those that were not used included.")
    static let queuedMessages = MetricFamily(
        "tideline_client_queued_messages", .gauge, labels: role, "Records that wait in producers to be sent.")
    static let queuedBytes = MetricFamily(
        "tideline_client_queued_bytes", .gauge, unit: .bytes, labels: role, "The bytes of records that wait there.")
    static let errors = MetricFamily(
        "tideline_client_errors", .counter, labels: role, "Requests that failed or had no response in time.")
    static let roundTrip = MetricFamily(
        "tideline_client_round_trip_seconds", .gauge, unit: .seconds, labels: ["role", "broker"],
        "The time from a request to its response, 99th percentile of the last interval, of the slowest handle.")
    static let throttle = MetricFamily(
        "tideline_client_throttle_seconds", .gauge, unit: .seconds, labels: ["role", "broker"],
        "How long a broker held responses back for a quota, on average, of the slowest handle.")

    static let all = [
        handles, requests, responses, sentBytes, receivedBytes, sentMessages, receivedMessages, queuedMessages,
        queuedBytes, errors, roundTrip, throttle,
    ]
}
