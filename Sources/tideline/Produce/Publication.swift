import Messages
import Observability
import Producers
import RecordLog

extension Verb {
    /// Publishes a source with a progress bar, and prints a JSON summary.
    func publish(
        _ source: any RecordSource, _ kafka: KafkaOptions, pacing: Pacing, limit: Int? = nil,
        healthFile: String? = nil, title: String, to topic: (TopicNames) -> String
    ) throws(CommandFailure) {
        let summary = try Environment(kafka).publish(
            source, pacing: pacing, limit: limit, healthFile: healthFile, title: title, to: topic)
        for problem in summary.skipped { writeError("left out: \(problem)") }
        print(summary.json)
    }
}

extension Environment {
    /// Publishes a source with a progress bar.
    ///
    /// - Parameter prepare: called before anything is read of the source or sent, with what the topic takes of a key
    ///   and a value together (`max.message.bytes`); nil where the broker does not say it.
    func publish(
        _ source: any RecordSource, pacing: Pacing, limit: Int?, healthFile: String?, title: String,
        to topic: (TopicNames) -> String, prepare: (_ recordBytesMax: Int?) throws(CommandFailure) -> Void = { _ in }
    ) throws(CommandFailure) -> PublishSummary {
        let health = try HealthFile(healthFile)
        let admin = try connect()
        let name = topic(topics)
        let found = try require([name], admin)
        admin.close()
        try prepare(found[name]?.settings["max.message.bytes"].flatMap { Int($0) })
        return try Publication(self).publish(
            source, to: name, pacing: pacing, limit: limit, health: health, title: title)
    }
}

/// One source into one topic, for `produce` and `demo`.
struct Publication {
    private let environment: Environment

    init(_ environment: Environment) {
        self.environment = environment
    }

    func publish(
        _ source: any RecordSource, to topic: String, pacing: Pacing, limit: Int? = nil,
        health: HealthFile? = nil, until shouldStop: @escaping () -> Bool = { Signals.isStopRequested },
        progress: @escaping (PublishProgress) -> Void = { _ in }
    ) throws(CommandFailure) -> PublishSummary {
        let producer: any PlainProducer
        do throws(LogError) {
            producer = try environment.cluster.makePlainProducer(clientId: "tideline-produce")
        } catch {
            throw CommandFailure(.unavailable, "cannot make a producer: \(error)")
        }
        defer { producer.close() }
        let publisher = Publisher(
            producer: producer, clock: SleepingClock(), shouldStop: shouldStop, progress: progress,
            healthy: { health?.touch() })
        do throws(PublishError) {
            return try publisher.publish(source, to: topic, pacing: pacing, limit: limit)
        } catch {
            switch error {
            case .input(let problem): throw CommandFailure(.dataError, problem.description)
            case .log(let cause): throw CommandFailure(.unavailable, "cannot publish: \(cause)")
            }
        }
    }

    /// The same with a progress bar.
    func publish(
        _ source: any RecordSource, to topic: String, pacing: Pacing, limit: Int? = nil, health: HealthFile? = nil,
        title: String
    ) throws(CommandFailure) -> PublishSummary {
        let bar = ProgressBar.standardError(title, unit: "records", environment)
        let summary = try publish(
            source, to: topic, pacing: pacing, limit: limit, health: health,
            progress: { progress in
                if let fraction = progress.fractionDone, fraction > 0, fraction < 1 {
                    bar.setTotal(Int(Double(progress.records) / fraction))
                }
                bar.update(completed: progress.records)
            })
        bar.setTotal(summary.records)
        bar.update(completed: summary.records)
        bar.finish()
        return summary
    }
}

extension PublishSummary {
    var json: String {
        var json = JSONWriter()
        json.beginObject()
        write(to: &json)
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// Writes the fields of an open object.
    func write(to json: inout JSONWriter) {
        json.integer("records", records)
        json.integer("tombstones", tombstones)
        json.integer("skipped", skippedCount)
        json.integer("bytes", bytes)
    }
}
