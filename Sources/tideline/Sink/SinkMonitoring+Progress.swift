import RecordLog
import Sinks

/// How far a sink is, from what its run tells.
extension SinkMonitoring.Progress {
    init(_ progress: SinkProgress<SinkSummary>) {
        let sum = progress.summary
        self.init(progress, outcomes: Self.outcomes(sum))
        successes = sum.written + sum.removed + sum.unchanged
        answers = successes
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
            turnWait: progress.turnWait, startedOver: progress.summary.startedOver, positions: progress.positions,
            outcomes: outcomes)
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
}
