import Foundation
import Metrics
import TestSupport
import Testing

@testable import tideline

@Suite("Dashboard, alerts and the page of metrics say what the program says")
struct MonitoringTests {
    private static let families = MetricsPage.parts.flatMap(\.families)

    @Test("the page of metrics has them all, and all alerts")
    func page() throws {
        let page = MetricsPage(try MonitoringFiles().alerts).markdown
        #expect(try GeneratedFile(path: "Documentation/Metrics.md").difference(from: page) == nil)
    }

    @Test("what others call a metric has the form of their names, and belongs to a metric that is there")
    func counterparts() throws {
        let all = MetricCounterpart.all
        #expect(all.count > 25 && Set(all.map(\.family)).count == all.count)
        for counterpart in all {
            let (family, names) = (counterpart.family, counterpart.streams + counterpart.openTelemetry)
            #expect(Self.families.contains(family), "\(family.name)")
            #expect(!names.isEmpty && Set(names).count == names.count, "\(family.name)")
            for name in counterpart.streams {
                #expect(name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)+/) != nil, "\(family.name): \(name)")
            }
            for name in counterpart.openTelemetry {
                let form = /(messaging|process|http|otel)(\.[a-z]+(_[a-z]+)*)+/
                #expect(name.wholeMatch(of: form) != nil, "\(family.name): \(name)")
            }
        }
        let names = Set(all.flatMap { $0.streams + $0.openTelemetry })
        let known = [
            "process-rate", "commit-latency-avg", "record-e2e-latency-avg", "restore-rate", "dropped-records-rate",
            "messaging.client.consumed.messages", "messaging.client.sent.messages", "messaging.process.duration",
            "messaging.client.operation.duration",
        ]
        #expect(names.isSuperset(of: known), "\(Set(known).subtracting(names).sorted())")
    }

    @Test("each metric and each label that the dashboard and the alerts name is there")
    func names() throws {
        let files = try MonitoringFiles()
        #expect(files.panels.count > 40 && files.alerts.count > 15)
        let named = files.panels.map { ($0.title, $0.expression) } + files.alerts.map { ($0.name, $0.expression) }
        for (place, expression) in named {
            for problem in Self.problems(expression) { Issue.record("\(place): \(problem)") }
        }
    }

    @Test(
        "a name, a suffix or a label that is not there is found",
        arguments: [
            ("rate(tideline_timeline_total[5m])", "tideline_timeline_total"),
            ("tideline_timelines > 1", "tideline_timelines"),
            ("sum by (task) (tideline_tasks)", "task"),
            ("tideline_tasks{status=\"running\"}", "status"),
        ])
    func counterexamples(expression: String, word: String) {
        let problems = Self.problems(expression)
        #expect(problems.count == 1 && problems.first?.hasPrefix(word) == true, "\(problems)")
    }

    @Test("each alert says what it means and what to do")
    func alerts() throws {
        for alert in try MonitoringFiles().alerts {
            #expect(!alert.expression.isEmpty && alert.summary.count > 10, "\(alert.name)")
            #expect(alert.description.count > 80 && alert.description.hasSuffix("."), "\(alert.name)")
        }
    }

    @Test("each alert leads to a section of the runbook that is there")
    func runbook() throws {
        let alerts = try MonitoringFiles().alerts
        for alert in alerts {
            let parts = alert.runbook.split(separator: "#").map { String($0) }
            try #require(parts.count == 2, "\(alert.name): \(alert.runbook)")
            let anchors = try PageAnchors.all(in: parts[0])
            #expect(anchors.contains(parts[1]), "\(alert.name): \(alert.runbook) is not there")
        }
        let page = try String(contentsOf: PackageRoot.url.appending(path: "Documentation/Runbook.md"), encoding: .utf8)
        for alert in alerts { #expect(page.contains(alert.name), "\(alert.name) is not in the runbook") }
    }

    @Test("each panel of the dashboard has a number of its own, and none lies on another")
    func panels() throws {
        let url = PackageRoot.url.appending(path: "monitoring/dashboard.json")
        let object = try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any]
        let panels = try #require(object?["panels"] as? [[String: Any]])
        #expect(Set(panels.compactMap { $0["id"] as? Int }).count == panels.count)
        var taken: Set<[Int]> = []
        for panel in panels {
            let place = try #require(panel["gridPos"] as? [String: Int])
            let (x, y, width, height) = (place["x"] ?? 0, place["y"] ?? 0, place["w"] ?? 0, place["h"] ?? 0)
            #expect(width > 0 && height > 0 && x + width <= 24)
            for cell in (y..<(y + height)).flatMap({ row in (x..<(x + width)).map { [row, $0] } }) {
                #expect(taken.insert(cell).inserted, "\(panel["title"] ?? "") lies on another")
            }
        }
    }

    @Test(
        "promtool takes the rules, and each alert fires for the data that it is for, and for no other",
        .enabled(if: Promtool.isExpected, "\(Promtool.hint)"))
    func promtool() async throws {
        try #require(Promtool.isInstalled, "\(Promtool.hint)")
        let folder = PackageRoot.url.appending(path: "monitoring")
        let words = [
            ["check", "rules", "alerts.yaml"], ["test", "rules", "alerts.test.yaml"],
            ["check", "config", "--syntax-only", "prometheus.yml"],
        ]
        for words in words {
            let arguments = words.map { $0.contains(".y") ? folder.appending(path: $0).path : $0 }
            let result = try await ProcessRunner.run(Promtool.url, arguments)
            #expect(result.succeeded, "\(words): \(result.standardOutput) \(result.standardError)")
        }
        let tests = try String(contentsOf: folder.appending(path: "alerts.test.yaml"), encoding: .utf8)
        for alert in try MonitoringFiles().alerts {
            #expect(tests.contains("- name: \(alert.name) fires\n"), "\(alert.name) has no test")
            #expect(tests.contains("- name: \(alert.name) is silent\n"), "\(alert.name) has no test of its silence")
        }
    }

    /// What an expression names and no metric has.
    private static func problems(_ expression: String) -> [String] {
        let known = Dictionary(
            uniqueKeysWithValues: families.flatMap { family in family.sampleNames.map { ($0, family) } })
        let names = MonitoringFiles.names(in: expression)
        let unknown = names.filter { known[$0] == nil }.sorted().map { "\($0) is no metric" }
        if !unknown.isEmpty { return unknown }
        let labels = Set(names.flatMap { known[$0]?.labels ?? [] })
        return MonitoringFiles.labels(in: expression).subtracting(labels).sorted().map {
            "\($0) is no label of \(names)"
        }
    }
}
