import Foundation
import TestSupport
import Testing

/// Plays the alerts of monitoring/alerts.yaml with what real processes served, by promtool.
enum RunbookAlerts {
    /// All samples of a process at one moment, by series.
    struct Scrape: Sendable {
        var samples: [String: Double] = [:]
        /// Seconds since 1970.
        var time = Date().timeIntervalSince1970
    }

    private static let curl = URL(filePath: "/usr/bin/curl")

    /// The body of an answer; empty where nobody answers within two seconds.
    static func get(_ path: String, at address: String, within seconds: Int = 20) async throws -> String {
        let words = ["-sS", "-m", "\(seconds)", "http://\(address)\(path)"]
        return try await ProcessRunner.run(curl, words).standardOutput
    }

    static func scrape(_ address: String) async throws -> Scrape {
        var scrape = Scrape()
        for line in try await get("/metrics", at: address).split(separator: "\n") where !line.hasPrefix("#") {
            guard let end = line.lastIndex(of: " "), let value = Double(line[line.index(after: end)...]) else {
                continue
            }
            scrape.samples[String(line[..<end])] = value
        }
        return scrape
    }

    /// Every alert of every failure fires if what was seen lasts, and would not have before.
    static func expectFiring(_ seen: [(failure: RunbookFailure, sighting: RunbookSighting)]) async throws {
        try #require(Promtool.isInstalled, "\(Promtool.hint)")
        let alerts = try Dictionary(uniqueKeysWithValues: MonitoringFiles().alerts.map { ($0.name, $0.expression) })
        let rules = PackageRoot.url.appending(path: "monitoring/alerts.yaml").path
        var text = "rule_files: ['\(rules)']\nevaluation_interval: 15s\ntests:\n"
        for (failure, sighting) in seen {
            for alert in failure.alerts {
                let expression = try #require(alerts[alert], "\(failure.title): there is no alert \(alert)")
                text += test(alert, expression, failure, sighting)
            }
        }
        let file = TemporaryDirectory.make("runbook").appending(path: "runbook.test.yaml")
        try Data(text.utf8).write(to: file)
        let result = try await ProcessRunner.run(Promtool.url, ["test", "rules", file.path])
        #expect(result.succeeded, "\(result.standardOutput) \(result.standardError)\n\(text)")
        show("\(seen.flatMap(\.failure.alerts).count) alerts fire for what real processes served in a failure")
    }

    /// Five minutes of what was before, then ten of what was seen, a sample each fifteen seconds.
    private static func test(
        _ alert: String, _ expression: String, _ failure: RunbookFailure, _ sighting: RunbookSighting
    ) -> String {
        var series: [(String, String)] = []
        if expression.contains("up{") {
            series.append((#"up{job="tideline",instance="a"}"#, "1x19 \(sighting.during == nil ? 0 : 1)x40"))
        }
        let names = MonitoringFiles.names(in: expression)
        let (before, during) = (sighting.before, sighting.during)
        for key in Set((before?.samples ?? [:]).keys).union((during?.samples ?? [:]).keys).sorted()
        where names.contains(String(key.prefix { $0 != "{" })) {
            func value(_ scrape: Scrape?, at second: Double) -> String {
                guard let scrape, let value = scrape.samples[key] else { return "_" }
                // An instant counts from that of the sample.
                return "\(key.contains("timestamp_seconds") ? value - scrape.time + second : value)"
            }
            let labels = key.contains("{") ? key.dropLast() + "," : key + "{"
            series.append(
                (labels + #"instance="a"}"#, "\(value(before, at: 0))x19 \(value(during, at: 300))x40"))
        }
        let lines = series.map { "      - {series: '\($0.0)', values: '\($0.1)'}\n" }.joined()
        let query = #"count(ALERTS{alertname="\#(alert)",alertstate="firing"}) or vector(0)"#
        return """
              - name: "\(alert): \(failure.title)"
                interval: 15s
                input_series:
            \(lines)    promql_expr_test:
                  - {expr: '\(query)', eval_time: 4m, exp_samples: [{labels: '{}', value: 0}]}
                  - {expr: '(\(query)) > bool 0', eval_time: 10m, exp_samples: [{labels: '{}', value: 1}]}

            """
    }
}
