import Foundation

/// The files of `monitoring/`, and the metrics that they name.
package struct MonitoringFiles {
    package struct Alert: Hashable {
        package var name: String
        package var expression: String
        package var summary: String
        /// The page and the anchor that the alert leads to.
        package var runbook: String
        package var description: String
    }

    /// All expressions of PromQL in the dashboard, each with where it stands.
    package let panels: [(title: String, expression: String)]
    package let alerts: [Alert]

    package init() throws {
        panels = try Self.readPanels()
        alerts = try Self.readAlerts()
    }

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: PackageRoot.url.appending(path: "monitoring/\(name)"), encoding: .utf8)
    }

    private static func readPanels() throws -> [(title: String, expression: String)] {
        let object = try JSONSerialization.jsonObject(with: Data(text("dashboard.json").utf8)) as? [String: Any]
        let panels = object?["panels"] as? [[String: Any]] ?? []
        return panels.flatMap { panel in
            let targets = panel["targets"] as? [[String: Any]] ?? []
            return targets.compactMap { target in
                (target["expr"] as? String).map { (panel["title"] as? String ?? "", $0) }
            }
        }
    }

    /// The rules, written as this project writes them: a key a line, and folded text below `description`.
    private static func readAlerts() throws -> [Alert] {
        try text("alerts.yaml").components(separatedBy: "- alert: ").dropFirst().map { block in
            let lines = block.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            func value(of key: String) -> String {
                let line = lines.first { $0.hasPrefix("\(key): ") } ?? ""
                return line.dropFirst(key.count + 2).trimmingCharacters(in: ["\""])
            }
            let folded = lines.drop { !$0.hasPrefix("description:") }.dropFirst()
            let description = folded.filter { !$0.isEmpty }.joined(separator: " ")
            return Alert(
                name: lines[0], expression: value(of: "expr"), summary: value(of: "summary"),
                runbook: value(of: "runbook"), description: description)
        }
    }

    /// The metrics of this program that an expression names.
    package static func names(in expression: String) -> Set<String> {
        Set(expression.matches(of: /\btideline_[a-z0-9_]+/).map { String($0.0) })
    }

    /// The labels by which an expression chooses or groups, other than those of Prometheus itself and of histograms.
    package static func labels(in expression: String) -> Set<String> {
        let chosen = expression.matches(of: /([a-z_]+)=~?"/).map { String($0.1) }
        let grouped = expression.matches(of: /(?:by|on) \(([a-z_, ]+)\)/).flatMap { match in
            match.1.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        return Set(chosen + grouped).subtracting(["instance", "job", "le"])
    }

    /// The values that an expression asks for exactly, each with the metric and the label: `name{label="value"}`.
    package static func selections(in expression: String) -> [(name: String, label: String, value: String)] {
        expression.matches(of: /\b(tideline_[a-z0-9_]+)\{([^}]*)\}/).flatMap { selector in
            selector.2.matches(of: /([a-z_]+)="([^"$]*)"/).map { (String(selector.1), String($0.1), String($0.2)) }
        }
    }
}
