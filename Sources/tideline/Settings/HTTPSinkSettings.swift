import Settings
import Sinks

/// The settings of `sink --to https://…`; it signs with `webhook.secret`. A sink that `sinks` names may have some of
/// them of its own (`HTTPSinkFields`).
extension Keys {
    static let httpBatches = 1...10_000

    static let sinkHTTPHosts = SettingKey(
        "sink.http.hosts",
        .list(of: .string(allowed: AllowedHost.allowed) { AllowedHost($0) != nil }), default: [],
        "The hosts that may come of fields in the host of the address.")
    static let sinkHTTPBatch = SettingKey(
        "sink.http.batch", .integer(httpBatches), default: 1,
        "So many timelines go in one request at most, a line for each (NDJSON); 1: each is a request as it is.")
    static let sinkHTTPConcurrency = SettingKey(
        "sink.http.concurrency", .integer(1...10_000), default: 16,
        "So many requests with timelines are under way at once, at most.")
    static let sinkHTTPTimeout = SettingKey(
        "sink.http.timeout", .duration(.seconds(1) ... .seconds(600)), default: .seconds(20),
        "After so long without an answer a request is made again.")
    static let sinkHTTPConnectTimeout = SettingKey(
        "sink.http.connect.timeout", .duration(.seconds(1) ... .seconds(600)), default: .seconds(10),
        "How long connecting to the target may take.")
    static let sinkHTTPBackoffFirst = SettingKey(
        "sink.http.backoff.first", .duration(.seconds(1) ... .seconds(3600)), default: .seconds(1),
        "How long is waited before a second attempt, at most; doubled with each further one.")
    static let sinkHTTPBackoffMax = SettingKey(
        "sink.http.backoff.max", .duration(.seconds(1) ... .seconds(86400)), default: .seconds(60),
        "How long is waited between two attempts, at most.")
    static let sinkHTTPMaxAge = SettingKey(
        "sink.http.max-age", .duration(.seconds(60) ... .seconds(2_592_000)), default: .seconds(86_400),
        "A timeline that fails so long for its own sake, while others are taken, makes a dead letter.")

    static let httpSinkKeys: [any SettingDeclaration] = [
        sinkHTTPHosts, sinkHTTPBatch, sinkHTTPConcurrency, sinkHTTPTimeout, sinkHTTPConnectTimeout,
        sinkHTTPBackoffFirst, sinkHTTPBackoffMax, sinkHTTPMaxAge,
    ]
}
