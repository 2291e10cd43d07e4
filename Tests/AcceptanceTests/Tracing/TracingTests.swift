import Foundation
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    /// Traces of real runs, from a producer to a file and a webhook, as a collector sees them.
    @Suite struct TracingTests {
        private static let trace = "0af7651916cd43dd8448eb211c80319c"
        private static let producer = "b7ad6b7169203331"

        private static let configurations = """
            {"configurationId": "van", "kind": "Board", "recipient": "ana", "strategy": "status", "vehicleId": "v1"}
            """

        private static func report(sampled: Bool = true) -> [(key: String?, value: [UInt8]?, headers: [Header])] {
            let now = Date().formatted(.iso8601)
            let report = #"{"vehicleId": "v1", "observedAt": "\#(now)", "ignition": true, "speed": 50}"#
            let header = Header("traceparent", "00-\(trace)-\(producer)-\(sampled ? "01" : "00")")
            return [("v1", Array(report.utf8), [header])]
        }

        private static func environment(_ collector: Collector) -> [String: String] {
            [
                "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:\(collector.port)",
                "OTEL_EXPORTER_OTLP_HEADERS": "x-key=a%2Cb", "OTEL_SERVICE_NAME": "tests",
            ]
        }

        @Test("a producer's trace runs through the pipeline to the sink's file and to the push")
        func through() async throws {
            let collector = try Collector()
            defer { collector.stop() }
            let application = try await Application("traces", partitions: 2)
            try await application.publish(configurations: Self.configurations)
            let verbs = [
                ["process"], ["sink", "--to", "files:\(application.directory.appending(path: "out").path)"],
                [
                    "sink", "--reloads", "http://127.0.0.1:\(collector.port)/hook", "--set",
                    "webhook.secret=whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
                ],
            ]
            let runners = try verbs.map { words in
                try ProcessRunner(
                    TidelineExecutable.url, words + application.options, environment: Self.environment(collector))
            }
            defer { for runner in runners { runner.kill() } }
            // The first timeline and its reload come of no trace.
            #expect(await eventually { collector.hooks.count == 1 })
            try await application.produce(Self.report(), to: "vehicle.telemetry")
            let isThrough = await eventually {
                collector.hooks.count >= 2 && collector.spans.contains { $0.trace == Self.trace && $0.name == "POST" }
                    && collector.spans.contains { $0.attributes["tideline.outcome"] == "written" }
            }
            for runner in runners { runner.terminate() }
            for runner in runners { #expect(await runner.result().succeeded) }
            let spans = collector.spans
            let errors = runners.map { (try? String(contentsOf: $0.standardError, encoding: .utf8)) ?? "" }
            #expect(isThrough && collector.problems.isEmpty, "\(spans) \(collector.problems) \(errors)")

            func span(_ name: String, _ verb: String, under parent: String) throws -> Collector.Span {
                let found = spans.filter { $0.trace == Self.trace && $0.name == name && $0.parent == parent }
                #expect(found.count == 1 && found[0].verb == verb, "\(name) under \(parent) in \(spans)")
                return try #require(found.first)
            }
            let (telemetry, timelines) = (application.topic("vehicle.telemetry"), application.topic("timelines"))
            let reloads = application.topic("timeline.reloads")
            let read = try span("process \(telemetry)", "process", under: Self.producer)
            #expect(read.attributes["messaging.destination.name"] == telemetry)
            #expect(read.attributes["messaging.consumer.group.name"] == application.name)
            let sent = try span("send \(timelines)", "process", under: read.id)
            #expect(sent.attributes["messaging.kafka.message.key"] == "van")
            _ = try span("process \(timelines)", "sink", under: sent.id)
            let announced = try span("send \(reloads)", "process", under: read.id)
            let delivery = try span("process \(reloads)", "sink", under: announced.id)
            let push = try span("POST", "sink", under: delivery.id)
            #expect(push.attributes["http.response.status_code"] == "200")
            #expect(collector.hooks.last == "00-\(Self.trace)-\(push.id)-01")
            // The transaction is a trace of its own, to which the record's span is linked.
            let link = try #require(read.links.first)
            let transaction = try #require(spans.first { $0.id == link && $0.name == "transaction" })
            let steps = spans.filter { $0.parent == transaction.id }.map(\.name)
            #expect(Set(steps) == ["poll", "process", "commit"], "\(steps)")
            #expect(spans.contains { $0.verb == "sink" && $0.name == "round" })
            // Readers of the topic see the same.
            let headers = try await application.records(of: "timelines").flatMap(\.headers)
            #expect(
                headers.filter { $0.name == "traceparent" }.map { String(decoding: $0.value ?? [], as: UTF8.self) }
                    == ["00-\(Self.trace)-\(sent.id)-01"])
            show("traces: \(spans.count) spans of \(runners.count) processes")
        }

        @Test("a collector that is down is said once, and once when it is back; nothing waits for it")
        func down() async throws {
            // Below the ports that connections get: the second collector must have it, too.
            let first = try Collector(port: Int(try freePortPair()))
            first.stop()
            let application = try await Application("collector-down", partitions: 1)
            try await application.publish(configurations: Self.configurations)
            let pipeline = try ProcessRunner(
                TidelineExecutable.url, ["process", "--metrics", "127.0.0.1:0"] + application.options,
                environment: Self.environment(first))
            defer { pipeline.kill() }
            func log() -> String { (try? String(contentsOf: pipeline.standardError, encoding: .utf8)) ?? "" }
            #expect(await eventually { log().contains("the collector of spans does not take them") }, "\(log())")
            try await application.produce(Self.report(), to: "vehicle.telemetry")
            let isMade = await eventually { (try? await application.records(of: "timelines").count) ?? 0 >= 2 }
            #expect(isMade)
            let second = try Collector(port: first.port)
            #expect(await eventually { log().contains("the collector takes spans again") }, "\(log())")
            #expect(await eventually { second.spans.contains { $0.trace == Self.trace } })
            let address = try await Monitored.address(of: pipeline)
            let metrics = try await Monitored.get("/metrics", at: address).body
            #expect(metrics.contains("tideline_trace_spans_total{outcome=\"dropped\"} 0\n"), "\(metrics)")
            let sent = metrics.firstMatch(of: /tideline_trace_spans_total\{outcome="sent"\} (\d+)/)
            #expect(sent.flatMap { Int($0.1) }.map { $0 > 0 } == true)
            second.stop()
            // What it makes at its end finds nobody.
            pipeline.terminate()
            let result = await pipeline.result()
            #expect(result.succeeded, "\(result.failure)")
            #expect(log().components(separatedBy: "the collector takes spans again").count == 2, "\(log())")
            #expect(log().components(separatedBy: "does not take them").count <= 3, "\(log())")
        }

        @Test("a trace that its producer does not record is passed on as it is, and nothing is recorded of it")
        func unsampled() async throws {
            let collector = try Collector()
            defer { collector.stop() }
            let application = try await Application("unsampled", partitions: 1)
            try await application.publish(configurations: Self.configurations)
            try await application.produce(Self.report(sampled: false), to: "vehicle.telemetry")
            let result = try await tideline(
                ["process", "--until-caught-up"] + application.options, environment: Self.environment(collector))
            #expect(result.succeeded, "\(result.failure)")
            #expect(!collector.spans.isEmpty && !collector.spans.contains { $0.trace == Self.trace })
            let headers = try await application.records(of: "timelines").flatMap(\.headers)
            let traces = headers.filter { $0.name == "traceparent" }
            #expect(
                traces.map { String(decoding: $0.value ?? [], as: UTF8.self) }
                    == ["00-\(Self.trace)-\(Self.producer)-00"])
        }

        @Test(
            "what OpenTelemetry's variables may be is said by name",
            arguments: [
                ("OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318", "http://"),
                ("OTEL_TRACES_SAMPLER", "sometimes", "parentbased_traceidratio"),
                ("OTEL_TRACES_SAMPLER_ARG", "2", "a number from 0 to 1"),
                ("OTEL_EXPORTER_OTLP_HEADERS", "secret", "NAME=VALUE"),
            ])
        func wrong(variable: String, value: String, allowed: String) async throws {
            var environment = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"]
            environment[variable] = value
            let result = try await tideline(["process", "--bootstrap", "127.0.0.1:9"], environment: environment)
            #expect(result.status == 64, "\(result.failure)")
            #expect(result.standardError.contains(variable) && result.standardError.contains(allowed))
            #expect(!result.standardError.contains("secret"))
        }
    }
}
