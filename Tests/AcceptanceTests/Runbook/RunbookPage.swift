import Foundation
import TestSupport

/// Documentation/Runbook.md: a section for each failure, with what a test saw of it, and one for each other alert.
struct RunbookPage {
    let seen: [(failure: RunbookFailure, sighting: RunbookSighting)]
    let alerts: [MonitoringFiles.Alert]

    private static let introduction = """
        # Runbook

        What to do when something is wrong. Begin with `tideline doctor`, with the same options as the processes: it
        names what is wrong and what to do, and `--ask HOST:PORT` has it ask processes for their health, too. A test
        provokes each failure of the first part with real processes on a real broker, waits fifteen seconds at most
        until health and metrics show it, has `doctor` name it, repairs it as it stands here, compares all timelines
        with those of an application that never met it (of a sink: sees that each reload came), and writes this page
        (`make reference`). The lines are those of that test; `…` stands for what differs from run to run, `timelines`
        for the topic of that name with your prefix, and `tideline` in names for your application. Commands take the
        options of your processes (`--bootstrap`, `--application`, `--topic-prefix`), and ask before they change
        anything.

        """

    var markdown: String {
        var text = Self.introduction
        text += "\n| seen | section |\n|---|---|\n"
        for (failure, sighting) in seen {
            let alerts = failure.alerts.map { "`\($0)`" }.joined(separator: ", ")
            text += "| `\(sighting.health.prefix { $0 != ":" })`, \(alerts) "
            text += "| [\(failure.title)](#\(failure.anchor)) |\n"
        }
        for (failure, sighting) in seen { text += Self.section(failure, sighting) }
        let known = Set(seen.flatMap(\.failure.alerts))
        text +=
            "\n## Other alerts\n\nNo failure above leads to these. Each is played with data (`make monitoring-test`).\n"
        for alert in alerts where !known.contains(alert.name) {
            text += "\n### \(alert.name)\n\n"
            text += "Condition: `\(alert.expression)`.\n\n\(alert.description)\n"
        }
        return text
    }

    private static func section(_ failure: RunbookFailure, _ sighting: RunbookSighting) -> String {
        var text = "\n## \(failure.title)\n\n\(failure.means.replacing("\n", with: " "))\n\n"
        text += "- **Health:** `\(sighting.health)`\(sighting.isReady ? " (a notice; it says yes)" : "")\n"
        let series = sighting.metrics.map { "`\($0)`" }.joined(separator: ", ")
        text += "- **Metrics:** \(series). **Alerts:** \(failure.alerts.map { "`\($0)`" }.joined(separator: ", "))\n"
        let log = sighting.log.isEmpty ? "" : "\(sighting.log.joined(separator: "\n"))\n\n"
        text += "- **\(log.isEmpty ? "Doctor" : "Log and doctor"):**\n\n```text\n\(log)"
        text += "\(sighting.doctor.joined(separator: "\n"))\n```\n\n**To do.**\n\n"
        var number = 0
        for step in sighting.steps {
            if case .line(let line) = step {
                text += "\n   ```text\n   \(line)\n   ```\n\n"
                continue
            }
            number += 1
            switch step {
            case .command(let command): text += "\(number). `\(command)`\n"
            case .sentence(let sentence), .line(let sentence): text += "\(number). \(sentence)\n"
            }
        }
        return text + "\n**Lost:** \(failure.lost.replacing("\n", with: " "))\n"
    }
}
