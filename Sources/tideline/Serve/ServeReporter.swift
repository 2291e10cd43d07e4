import Diagnosis
import Gateway
import HTTPServer
import Messages
import Observability
import RecordLog

/// Reports the state of the server: a line of the log when it became ready or was away, and once a minute.
final class ServeReporter {
    private let environment: Environment
    private let context: GatewayContext
    private var last: (at: Duration, requests: Int)?
    private var wasReady = false
    private static let regular = Duration.seconds(60)

    init(_ environment: Environment, _ context: GatewayContext) {
        self.environment = environment
        self.context = context
        last = (context.clock.now, 0)
    }

    /// Writes a line if one is due. May be called often.
    func report(_ statistics: HTTPServerStatistics, failures: Int) {
        let now = context.clock.now
        let isReady = context.views.isReady
        guard let last, isReady != wasReady || now - last.at >= Self.regular else { return }
        wasReady = isReady
        let seconds = max(0.001, (now - last.at) / .seconds(1))
        let rate = Double(statistics.requests - last.requests) / seconds
        self.last = (now, statistics.requests)
        let views = context.views.counts
        let streams = context.streams.counts
        let load = "\(views.timelines.counted("timeline")), \(streams.open.counted("stream"))"
        environment.logger(for: .gateway).info(
            "serving \(load), \(Int(rate.rounded())) requests/s",
            metadata: [
                "ready": .string(isReady ? "yes" : "no"), "connections": .number(statistics.connectionsOpen),
                "requests": .number(statistics.requests),
                "refused": .number(statistics.refused.values.reduce(0, +)), "failed": .number(failures),
                "events": .number(streams.events), "streamsTooSlow": .number(streams.tooSlow),
                "waiting": .number(context.waiters.count), "configurations": .number(views.configurations),
                "reloads": .number(views.reloads), "unreadable": .number(views.unreadable),
            ])
    }
}

/// What a run of the server did.
struct ServeSummary {
    let json: String

    init(_ statistics: HTTPServerStatistics, _ context: GatewayContext, wallSeconds: Double) {
        let usage = ProcessUsage.current()
        let views = context.views.counts
        let streams = context.streams.counts
        json = JSONWriter.object { json in
            json.integer("requests", statistics.requests)
            json.integer("refused", statistics.refused.values.reduce(0, +))
            json.integer("streams", streams.opened)
            json.integer("streamsTooSlow", streams.tooSlow)
            json.integer("events", streams.events)
            json.integer("records", views.records)
            json.integer("unreadable", views.unreadable)
            json.integer("timelines", views.timelines)
            json.number("wallSeconds", wallSeconds)
            json.number("cpuSeconds", usage.cpuSeconds)
            json.integer("peakMemory", usage.peakMemory)
        }
    }
}

extension Logger {
    /// Logs a notice of the reading of topics. What the watch over brokers says is left to it.
    func log(_ notice: ViewNotice, _ brokers: BrokerWatch?) {
        switch notice {
        case .log(let error): log(error, brokers)
        case .notAuthorised(let sentence): self.error("\(sentence)")
        case .unreadable(let place, let offset, let problem):
            warning("a record is left out: \(problem)", metadata: .record(place, offset))
        case .newPartitions(let topic, let total):
            info("reading new partitions", metadata: ["topic": .string(topic), "partitions": .number(total)])
        case .recreated(let topic):
            warning("the topic was made anew; reading it from the beginning", metadata: ["topic": .string(topic)])
        case .missing(let topic):
            error("the topic does not exist any more; waiting for it", metadata: ["topic": .string(topic)])
        case .ready(let records, let milliseconds):
            info(
                "all topics are read",
                metadata: ["records": .number(records), "milliseconds": .number(milliseconds)])
        case .cacheRebuilt(let reason): self.notice("the cache is made anew: \(reason)")
        case .cacheFailed(let reason): error("the cache cannot be used, and is not: \(reason)")
        }
    }

}
