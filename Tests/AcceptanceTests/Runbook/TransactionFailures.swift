import Foundation
import RecordLog
import TestSupport
import Testing

extension RunbookFailure {
    static let ofTransactions = [transactionOpen]

    private static let transactionOpen = RunbookFailure(
        title: "Somebody's transaction is open",
        means: """
            Another program has written to an input in a transaction, and neither commits nor aborts it: it hangs, or
            it was killed and its `transaction.timeout.ms` is long. Readers of committed records wait at its first
            record, in each partition that it has written to; `process` says after `health.lag` that it is behind (a
            minute; the test has four seconds) and goes on with all other partitions. The log says nothing of it; the
            alert `TidelineLagStandsStill` fires where nothing else is read.
            """,
        lost: """
            Nothing of the application's. What the other program wrote in its transaction counts for nobody; it has to
            write that again.
            """,
        alerts: ["TidelineUnhealthy"]
    ) { scene in
        scene.add(["--set", "health.lag=PT4S"])
        let process = try await scene.startProcess(with: 0..<5)
        let place = TopicPartition(scene.application.topic("widget.configurations"), 0)
        var stranger: OpenTransaction?
        var opened = ContinuousClock.now
        try await scene.provoke(process) {
            stranger = try await scene.application.openTransaction(in: place, of: "billing-7")
            opened = .now
            // Of these, three are in that partition.
            try await scene.publish(5..<12)
        }
        try await scene.seeHealth(process, part: "lag", "behind, 4 records")
        try await scene.seeMetrics(
            process,
            [
                (#"tideline_consumer_lag_records{topic="widget.configurations"}"#, { $0 == 4 }),
                (#"tideline_health{check="ready"}"#, { $0 == 0 }),
            ])
        // It is a failure once it is older than a transaction of the application may be, ten seconds.
        try await Task.sleep(until: opened + .seconds(11), clock: .continuous)
        try await scene.seeDoctor("transactions", "it is that of billing-7 (ongoing)")
        scene.step("If that program runs still, end it. Else end its transaction, as the line says:")
        try await scene.carryOut(["transactions", "--end", "billing-7"], hidden: ["--yes"])
        stranger?.abandon()
        scene.step("The process goes on by itself.")
        try await scene.waitForTimelines(12)
        try await scene.expectWell(process)
        try await scene.expectComplete(12)
    }
}
