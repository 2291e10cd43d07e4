import Messages
import RecordLog
import Sinks
import Timelines

/// Timelines of a morning with meetings, one for each of so many configurations, as records of the topic.
struct SinkLoad {
    let records: [SinkRecord]
    let timelines: [TimelineRecord]

    init(configurations: Int) throws {
        let at = Instant(milliseconds: 1_795_154_400_000)
        let strategy = try TimelineStrategies.strategy(named: "events")
        var (records, timelines): ([SinkRecord], [TimelineRecord]) = ([], [])
        for number in 0..<configurations {
            var configuration = WidgetConfiguration(
                configurationId: "board-\(number)", kind: "NextMeeting", strategy: strategy)
            configuration.calendarIds = ["team"]
            let occurrences = (0..<2).map { meeting in
                let start = at + .minutes(Int64(meeting) * 90 + Int64(number % 60))
                return Occurrence(
                    calendarId: "team", uid: "\(number)-\(meeting)@example.org", title: "Meeting \(number)",
                    location: "Room \(number % 7)", when: .timed(start: start, end: start + .minutes(45)))
            }
            let request = TimelineRequest(configuration: configuration, occurrences: occurrences, at: at)
            let timeline = TimelineRecord(
                configurationId: configuration.configurationId, kind: configuration.kind,
                family: configuration.family, recipient: "phone-\(number % 1000)", revision: 1, generatedAt: at,
                timeline: TimelineProvider.timeline(for: request), refreshCount: 1, sources: [])
            var json = JSONWriter()
            timeline.write(to: &json)
            timelines.append(timeline)
            records.append(
                SinkRecord(
                    configurationId: timeline.configurationId, value: json.bytes,
                    origin: TopicPartition("timelines", 0), offset: Offset(Int64(number))))
        }
        self.records = records
        self.timelines = timelines
    }

    /// Writes all to a sink, in batches as a run does, each with its positions: the answer to a commit is taken with
    /// the batch after it, if the sink can do so.
    func write(to sink: any TimelineSink, batch: Int) throws {
        for start in stride(from: 0, to: records.count, by: batch) {
            let end = min(start + batch, records.count)
            let answers = try answers(of: sink, to: Array(records[start..<end]))
            guard answers.allSatisfy({ $0 == .done(.written) }) else { preconditionFailure("Each is new to the sink.") }
            try sink.flush()
            let positions: [Partition: SinkPosition] = [0: SinkPosition(next: Offset(Int64(end)))]
            if let sink = sink as? any DeferredCommitSink {
                try sink.commit(positions, of: "timelines")
            } else {
                try sink.keep(positions, of: "timelines")
            }
        }
        try (sink as? any DeferredCommitSink)?.settle()
    }

    /// As the program's own writer asks: about the whole batch first.
    private func answers(of sink: any TimelineSink, to records: [SinkRecord]) throws -> [SinkAnswer] {
        try sink.prepare(records)
        if let sink = sink as? any BatchSink { return try sink.write(records) }
        return try records.map { .done(try sink.write($0)) }
    }
}
