import Arguments
import Diagnosis
import Messages
import RecordLog
import Settings
import Sinks

extension DoctorRun {
    /// How sinks are, as they tell it themselves. Where none has run yet, nothing is said.
    func lookAtSinks(_ admin: any Admin) {
        do throws(CommandFailure) {
            let known = KnownSinks(environment, admin)
            guard let sinks = try known.statuses() else { return }
            let bounds = try known.bounds(of: Set(sinks.map(\.topic)).sorted())
            report.add(sinks.map { facts(of: $0, bounds[$0.topic] ?? .init()).finding(command: command) })
        } catch {
            let topic = SinkStatusReport.topic(environment.settings)
            report.add([Finding(.sinks, topic, .notice, "cannot be told: \(error.message)")])
        }
    }

    private func facts(of sink: SinkStatus, _ bounds: KnownSinks.Bounds) -> SinkFacts {
        SinkFacts(
            name: sink.name, target: sink.target, state: state(of: sink),
            lag: sink.lag(from: bounds.lows, to: bounds.ends), lastError: sink.lastError, words: words(of: sink))
    }

    private func state(of sink: SinkStatus) -> SinkFacts.State {
        let now = WallClock.systemTime()
        if sink.isUntold { return .untold }
        if sink.isSilent(at: now) { return .silent(now - sink.at) }
        return switch sink.state {
        case .running: .running
        case .waiting: .waiting
        case .stopped: .stopped
        case .failed: .failed
        }
    }

    /// The verb that runs it, with its words. Of an address that has a secret, the part is left out that may be one.
    private func words(of sink: SinkStatus) -> String {
        if environment.settings[Keys.sinks][sink.name] != nil { return "sink \(sink.name)" }
        let isSent = ["apns", "http-", "webhook-"].contains { sink.name.hasPrefix($0) }
        let kept = [(try? TimelineTarget(sink.target))?.name, (try? ReloadTable(sink.target))?.name]
        guard isSent || kept.contains(sink.name) else { return "sink \(sink.name) --config FILE" }
        let option = sink.topic == environment.topics.reloads ? "--reloads" : "--to"
        let target = sink.isUntold ? (sink.name == "apns" ? sink.name : "URL") : sink.target
        return "sink \(option) \(target.shellQuoted)"
    }
}
