import Foundation
import TestSupport
import Testing

extension RunbookFailure {
    static let ofBrokers = [permissionMissing, brokerAway]

    /// Gives everybody a permission.
    private static func allow(_ scene: RunbookScene, _ words: [String]) async throws {
        try await scene.application.tool(
            "org.apache.kafka.tools.AclCommand", ["--add", "--allow-principal", "User:ANONYMOUS"] + words)
    }

    private static let permissionMissing = RunbookFailure(
        title: "A permission is missing",
        means: """
            Somebody has taken a permission away, or brokers ask for one since they have an authoriser. The process
            tries again after 1, 2, 4 and 8 seconds, and goes on if somebody gives the permission back meanwhile. After
            five refused transactions in a row it ends with status 70 and says so in its last line, and so does each
            one that is started (the alert `TidelineDown`; where Prometheus finds addresses by DNS, `TidelineGone`, and
            `TidelineAbsent` once none is left).
            """,
        lost: "Nothing.",
        alerts: ["TidelineRefused", "TidelineUnhealthy"], sharesBroker: false
    ) { scene in
        let process = try await scene.startProcess(with: 0..<5)
        let timelines = scene.application.topic("timelines")
        try await scene.provoke(process) {
            // Who is not named by a resource's first permission may do nothing else with it from then on.
            try await allow(scene, ["--operation", "DescribeConfigs", "--operation", "Read", "--topic", timelines])
            try await scene.publish(5..<7)
        }
        try await scene.seeHealth(process, part: "commits", "is refused by brokers")
        try await scene.seeMetrics(
            process,
            [
                ("tideline_transactions_refused_total", { $0 > 0 }),
                (#"tideline_health{check="ready"}"#, { $0 == 0 }),
            ])
        try await scene.seeLog(process, "transaction aborted: Failed to add partition(s)")
        // Nobody gives it back in time.
        #expect(await process.runner.result().status == 70)
        try await scene.seeLog(process, "transactions were refused 5 times")
        try await scene.seeDoctor("permissions", "Write on topic timelines: is missing")
        scene.step(
            "Have somebody who may do so (Alter on the cluster) grant it, with the user's name. Then start it again:")
        let granted = try await tideline(
            [
                "permissions", "--apply", "--yes", "--principal", "User:ANONYMOUS", "--only",
                "Write on topic \(timelines)",
            ] + scene.application.options, timeout: .seconds(180))
        #expect(granted.succeeded, "\(granted.failure)")
        scene.carriedOut("tideline permissions --apply --principal User:NAME --only 'Write on topic timelines'")
        let next = try await scene.startProcess()
        scene.carriedOut("tideline process")
        try await scene.expectWell(next)
        try await scene.expectComplete(7)
        try await scene.stop(next)
    }

    private static let brokerAway = RunbookFailure(
        title: "A broker is away",
        means: """
            A broker is down, restarts, or cannot be reached over the network. What it leads stands still, until it is
            back or another leads it. Each process says once that it is gone and once that it is back. None of them
            ends.
            """,
        lost: "Nothing.",
        alerts: ["TidelineBrokerAway", "TidelineUnhealthy"], sharesBroker: false
    ) { scene in
        let process = try await scene.startProcess(with: 0..<5)
        try await scene.provoke(process) { try await scene.broker.kill() }
        try await scene.seeHealth(process, part: "brokers", "out of reach")
        try await scene.seeMetrics(
            process,
            [
                ("tideline_broker_away_seconds", { $0 > 10 }), (#"tideline_health{check="ready"}"#, { $0 == 0 }),
            ])
        try await scene.seeLog(process, "cannot reach broker")
        try await scene.seeDoctor("brokers", "does not answer")
        scene.step("Start the broker again, or mend the network. All processes go on by themselves, and say:")
        try await scene.broker.restart()
        try await scene.seeLog(process, "broker answers again")
        try await scene.publish(5..<7)
        try await scene.waitForTimelines(7)
        try await scene.expectWell(process)
        try await scene.expectComplete(7)
    }
}
