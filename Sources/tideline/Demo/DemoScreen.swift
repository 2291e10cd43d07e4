import Diagnosis
import Foundation
import Messages
import Observability
import RecordLog
import Timelines

/// Shows what the demo publishes: as a board if this job has a terminal, else as lines of changed timelines, reloads
/// and rates. Owned by one thread.
final class DemoScreen {
    private let environment: Environment
    private let consumer: any Consumer
    private var board: BoardScreen?
    private var parser = JSONParser()
    private var shown: [String: TimelineRecord] = [:]
    private var timelines = 0
    private var reloads = 0
    private var phases: [TimelineEntry.Phase: Int] = [:]
    private let began = WallClock.uptime()
    private var lastLine = WallClock.uptime()
    private let fleet: Int
    private var isClosed = false

    init(_ environment: Environment, fleet: Int) throws(CommandFailure) {
        self.environment = environment
        self.fleet = fleet
        do throws(LogError) {
            consumer = try environment.cluster.makeConsumer(
                group: nil, isolation: .readCommitted, clientId: "tideline-demo")
            let partitions = [environment.topics.timelines, environment.topics.reloads].flatMap { topic in
                (0..<2).map { (TopicPartition(topic, $0), StartOffset.earliest) }
            }
            try consumer.incrementalAssign(partitions)
        } catch {
            throw CommandFailure(.software, "cannot read the demo's timelines: \(error)")
        }
    }

    func welcome(output: String, seconds: Int?) {
        line("Tideline's demo: \(fleet) vehicles, 2 calendars, the pipeline and a sink in this process.")
        line("Its broker is librdkafka's mock cluster: same calls as Kafka, but its transactions promise nothing.")
        line("Timelines are written to \(output)/; it ends \(seconds.map { "after \($0) s" } ?? "at Ctrl-C").")
    }

    /// Writes a line for each declared kind.
    func show(_ kinds: WidgetKinds) {
        for kind in kinds.all {
            let families = kind.supportedFamilies.map { ", \($0.map(\.rawValue).joined(separator: ", "))" } ?? ""
            line("  kind      \(kind.kind): \"\(kind.title)\"\(families)")
        }
        line("")
    }

    /// Opens a board if this job has a terminal. The log stands below it, and is written out when the board is closed.
    func openBoard(output: String) {
        guard Terminal.canvas != nil else { return }
        let hint = "Ctrl-C ends the demo; the timelines are in \(output)/"
        board = BoardScreen(title: "Tideline", subtitle: "\(fleet) vehicles", hint: hint)
    }

    /// Reads what was published and shows it, for at least `duration`.
    func show(for duration: Duration) {
        let end = WallClock.uptime() + duration
        repeat {
            let batch = consumer.poll(maximum: 500, timeout: .milliseconds(duration == .zero ? 0 : 50))
            for record in batch.records { show(record) }
            showStatus()
        } while WallClock.uptime() < end
    }

    /// Ends reading and drawing. May be called again.
    func close() {
        if isClosed { return }
        isClosed = true
        board?.close()
        board = nil
        consumer.close()
    }

    func summarise(_ summary: RunSummary?, output: String) {
        line("")
        if let summary {
            line(
                "Done: \(summary.records.counted("record")) in, \(summary.timelines.counted("timeline")),"
                    + " \(summary.reloads.counted("reload")) out."
            )
        }
        let counts = phases.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key.rawValue)" }
        for row in summary?.table ?? [] { line("  \(row)") }
        line("Entries seen: \(counts.joined(separator: ", ")).")
        line("One file per configuration: ls \(output)/ ; for example \(output)/agenda-depot.json")
        // JSON is for programs: on a terminal the lines above say it.
        if let summary, isatty(STDOUT_FILENO) == 0 { print(summary.json) }
    }

    private func show(_ record: RecordView) {
        guard let value = record.value else { return }
        if consumer.topics[Int(record.topic)] == environment.topics.reloads {
            reloads += 1
            guard let reload = try? ReloadNotification.decode(value, with: &parser) else { return }
            if let board { return board.add(reload) }
            line("  reload    \(reload.recipient) \(reload.kind): \(reload.reason.rawValue)")
            return
        }
        timelines += 1
        guard let timeline = try? TimelineRecord.decode(value, with: &parser) else { return }
        for entry in timeline.timeline.entries { phases[entry.phase, default: 0] += 1 }
        let isNew = shown[timeline.configurationId]?.revision != timeline.revision
        shown[timeline.configurationId] = timeline
        if let board { return board.add(timeline) }
        if isNew { line("  timeline  \(timeline.configurationId) r\(timeline.revision): \(text(timeline))") }
    }

    private func text(_ record: TimelineRecord) -> String {
        guard let entry = record.timeline.entries.first else { return "" }
        if let vehicle = entry.vehicle, entry.phase == .status || entry.phase == .stale {
            let speed = vehicle.speed.map { " \(Int($0.rounded())) km/h" } ?? ""
            return "\(vehicle.status ?? "")\(speed) \(vehicle.location ?? "")"
        }
        return record.timeline.entries.prefix(4).map { entry in
            let time = entry.date.rfc3339.dropFirst(11).prefix(8)
            return "\(time) \(entry.phase.rawValue) \((entry.event ?? entry.next)?.title ?? "")"
        }.joined(separator: " · ")
    }

    /// Draws the board; without a board, writes a line every five seconds.
    private func showStatus() {
        if let board { return board.draw() }
        let now = WallClock.uptime()
        guard now - lastLine >= .seconds(5) else { return }
        lastLine = now
        let seconds = Double((now - began).milliseconds) / 1000
        let rate = (Double(timelines) / max(seconds, 0.001) * 10).rounded() / 10
        let text =
            "\(Int(seconds)) s · \(timelines) timelines (\(rate)/s), \(shown.count) configurations · \(reloads) reloads"
        line(text)
    }

    private func line(_ text: String) { LogStream.standardError.writeLine(text) }
}
