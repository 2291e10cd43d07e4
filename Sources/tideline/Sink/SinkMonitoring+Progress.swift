import RecordLog
import Sinks

extension SinkMonitoring {
    /// How far a sink is, whatever it writes.
    struct Progress {
        typealias Outcomes = [(name: String, count: Int)]

        var records: Int
        /// True once the topic is read.
        var hasBegun = true
        /// Still to be read; `nil` if that is not known.
        var lag: Int64?
        /// Read, and not settled.
        var unsettled = 0
        /// As in `SinkProgress`.
        var places: [Partition: SinkReadPlace] = [:]
        var looks = 0
        var turnWait = Duration.zero
        /// As in `SinkProgress`.
        var hostsAway: [HostAway] = []
        var startedOver = 0
        /// What is kept, by partition.
        var positions: [Partition: SinkPosition] = [:]
        /// The highest revision that was written; `nil` if none was, or the sink writes no timelines.
        var revision: Int64?
        /// What became of records, in a fixed order.
        var outcomes: Outcomes = []
        /// The number of those that were written or delivered.
        var successes = 0
        /// The number of those that the target answered for good: delivered, refused or from nobody any more.
        var answers = 0
        /// The number of all that wait no more, for whatever reason.
        var settled = 0
        /// The number of those that became dead letters.
        var deadLetters = 0

        /// What the servers say that are away, three of them at most; `nil` if none is.
        var reasonAway: String? {
            if hostsAway.isEmpty { return nil }
            let more = hostsAway.count > 3 ? ["\(hostsAway.count - 3) more hosts are away"] : []
            return (hostsAway.prefix(3).map(\.description) + more).joined(separator: "; ")
        }

        /// The records that wait; 0 also where it is not known whether there are more to read.
        var waiting: Int64 { (lag ?? 0) + Int64(unsettled) }
    }
}

extension SinkMonitoring.Progress {
    init(_ progress: SinkProgress<SinkSummary>) {
        let sum = progress.summary
        self.init(progress, outcomes: Self.outcomes(sum))
        successes = sum.written + sum.removed + sum.unchanged
        answers = successes
        revision = sum.revision
        settled = successes + sum.superseded + sum.unusable
        deadLetters = sum.unusable
    }

    init(_ progress: SinkProgress<DeliverySummary>) {
        let sum = progress.summary
        self.init(progress, outcomes: Self.outcomes(sum))
        successes = sum.delivered
        answers = sum.delivered + sum.retired + sum.deadLetters
        settled = answers + sum.tooOld + sum.skipped
        deadLetters = sum.deadLetters
    }

    private init(_ progress: SinkProgress<some SinkRunSummary>, outcomes: Outcomes) {
        self.init(
            records: progress.summary.records, hasBegun: progress.hasBegun, lag: progress.lag,
            unsettled: progress.unsettled, places: progress.places, looks: progress.looks,
            turnWait: progress.turnWait, hostsAway: progress.hostsAway, startedOver: progress.summary.startedOver,
            positions: progress.positions, outcomes: outcomes)
    }

    static func outcomes(_ sum: SinkSummary) -> Outcomes {
        [
            ("written", sum.written), ("removed", sum.removed), ("unchanged", sum.unchanged),
            ("superseded", sum.superseded), ("unusable", sum.unusable),
        ]
    }

    static func outcomes(_ sum: DeliverySummary) -> Outcomes {
        let kept = [("retired", sum.retired), ("deadLetter", sum.deadLetters), ("tooOld", sum.tooOld)]
        let sent = [("delivered", sum.delivered), ("conflated", sum.conflated), ("retried", sum.retries)]
        return sent + kept + [("skipped", sum.skipped)]
    }

    /// The progress with what earlier runs of the sink in this process have counted.
    func counting(_ earlier: Self?) -> Self {
        guard let earlier else { return self }
        var sum = self
        sum.records += earlier.records
        sum.revision = [revision, earlier.revision].compactMap(\.self).max()
        sum.startedOver += earlier.startedOver
        sum.successes += earlier.successes
        sum.answers += earlier.answers
        sum.settled += earlier.settled
        sum.deadLetters += earlier.deadLetters
        sum.outcomes = zip(outcomes, earlier.outcomes).map { (name: $0.name, count: $0.count + $1.count) }
        return sum
    }
}

extension SinkDeclaration {
    /// The file descriptors that it takes.
    var descriptors: Int {
        switch target {
        case .kept: Descriptors.ofSink
        case .sent: Descriptors.ofDeliveries
        }
    }

    /// What it counts, before it has begun.
    var outcomes: SinkMonitoring.Progress.Outcomes {
        switch target {
        case .kept: SinkMonitoring.Progress.outcomes(SinkSummary())
        case .sent: SinkMonitoring.Progress.outcomes(DeliverySummary())
        }
    }
}
