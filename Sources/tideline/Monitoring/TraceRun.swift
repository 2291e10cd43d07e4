import Foundation
import HTTPClient
import Messages
import Metrics
import Observability
import TraceExport
import Tracing

/// The traces of a verb, from its start to its end: the tracer, and the export of its spans. Any thread.
final class TraceRun: Sendable {
    let tracer: Tracer
    private let exporter: SpanExporter

    /// - Parameters:
    ///   - verb: for the attribute `tideline.verb`.
    ///   - monitoring: has the counts from here on.
    /// - Returns: `nil` if nobody takes spans.
    /// - Throws: with status 64 if OpenTelemetry's variables are wrong.
    static func start(
        _ environment: Environment, verb: String, _ monitoring: Monitoring?
    ) throws(CommandFailure) -> TraceRun? {
        let variables = ProcessInfo.processInfo.environment
        guard
            var plan = try TracingPlan(environment.settings, variables, instance: UUID().uuidString.lowercased())
        else { return nil }
        let sampler = try TracingPlan.sampler(environment.settings, variables)
        plan.resource["tideline.verb"] = .string(verb)
        let run = TraceRun(environment, plan, sampler)
        if let monitoring { run.collect(in: monitoring.registry) }
        return run
    }

    private init(_ environment: Environment, _ plan: TracingPlan, _ sampler: TraceSampler) {
        let logger = environment.logger(for: .tracing)
        var settings = ExportSettings(
            endpoint: plan.endpoint, resource: plan.resource, version: ContractVersion.release)
        settings.headers = plan.headers
        let endpoint = Self.shown(plan.endpoint)
        exporter = SpanExporter(
            settings, now: { WallClock.uptime() },
            transport: {
                var http = HTTPClientConfiguration()
                http.timeout = .seconds(10)
                http.connectTimeout = .seconds(5)
                return HTTPClient(http)
            }, notice: { logger.log($0, endpoint) })
        let tracer = Tracer(
            sampler: sampler, queue: exporter.queue, now: { TraceRun.nanoseconds() },
            random: { UInt64.random(in: .min ... .max) })
        self.tracer = tracer
        environment.live.follow { [weak tracer] settings in
            // Variables do not change while the program runs, and were right at its start.
            let sampler = try? TracingPlan.sampler(settings, ProcessInfo.processInfo.environment)
            if let sampler { tracer?.sampler = sampler }
        }
        logger.info(
            "spans go to \(endpoint)",
            metadata: ["sampler": .string(sampler.name.rawValue), "ratio": .number(sampler.ratio)])
        if let remark = plan.remark { logger.warning("\(remark)") }
        exporter.start()
    }

    /// Sends what waits, for a few seconds at most.
    func end() { exporter.end() }

    private func collect(in registry: MetricsRegistry) {
        let exporter = exporter
        registry.collect { snapshot in
            let counts = exporter.counts
            snapshot.add(counts.sent, to: TracingMetrics.spans, ["sent"])
            snapshot.add(counts.dropped, to: TracingMetrics.spans, ["dropped"])
            snapshot.add(counts.failed, to: TracingMetrics.spans, ["failed"])
            snapshot.add(exporter.queue.count, to: TracingMetrics.waiting)
        }
    }

    private static func nanoseconds() -> TraceTime {
        // Whole microseconds: a Date has no more.
        Int64((Date().timeIntervalSince1970 * 1_000_000).rounded()) * 1000
    }

    /// An address without a user's name, password or query.
    private static func shown(_ address: String) -> String {
        guard var url = URLComponents(string: address) else { return "the collector" }
        (url.user, url.password, url.query) = (nil, nil, nil)
        return url.string ?? "the collector"
    }
}

extension Logger {
    fileprivate func log(_ notice: ExportNotice, _ endpoint: String) {
        switch notice {
        case .away(let reason):
            warning(
                "the collector of spans does not take them; trying on, and what does not fit into the queue is lost",
                metadata: ["endpoint": .string(endpoint), "reason": .string(reason)])
        case .back(let duration, let lost):
            self.notice(
                "the collector takes spans again",
                metadata: [
                    "endpoint": .string(endpoint), "lostSpans": .number(lost), "awayMs": .milliseconds(duration),
                ])
        case .full:
            warning("more spans come than the collector takes: some are lost (tideline_trace_spans_total)")
        case .lost(let count): warning("spans were lost", metadata: ["count": .number(count)])
        }
    }
}
