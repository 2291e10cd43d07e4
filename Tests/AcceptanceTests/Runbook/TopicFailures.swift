import Foundation
import RecordLog
import TestSupport
import Testing

extension RunbookFailure {
    static let ofTopics = [outputGone, inputGone, stateGone, otherSettings, exchangeGrown]

    /// The series that says that a topic has a fault.
    private static func fault(_ topic: String, _ fault: String) -> (series: String, isMet: (Double) -> Bool) {
        (#"tideline_topic_faults{topic="\#(topic)",fault="\#(fault)"}"#, { $0 == 1 })
    }

    private static let outputGone = RunbookFailure(
        title: "An output is gone",
        means: """
            Somebody has deleted a topic that `process` writes to. Nothing is committed any more; what comes waits in
            the inputs. `tideline topics` makes the topic again, with the numbers of partitions and replicas that the
            process remembers and says; `doctor` has those of another output. Then the process goes on by itself. The
            new topic is empty: what was published before and has not changed since comes back by a reset alone.
            """,
        lost: """
            Nothing, once it was started over. Readers of a deleted `timelines` miss what was there until then.
            Reloads, positions and dead letters that were in a deleted topic of theirs are gone.
            """,
        alerts: ["TidelineTopicMissing", "TidelineUnhealthy"], partitions: 3
    ) { scene in
        let process = try await scene.startProcess(with: 0..<5)
        let timelines = scene.application.topic("timelines")
        try await scene.provoke(process) {
            try await scene.application.delete([timelines])
            try await scene.publish(5..<7)
        }
        try await scene.seeHealth(
            process, part: "topics", "timelines is gone: 'tideline topics --partitions 3 --replication 1'")
        try await scene.seeMetrics(process, [fault("timelines", "missing")])
        try await scene.seeLog(process, "which can be written to no more")
        let remedy = try await scene.seeDoctor("topics", "timelines: is missing")
        try await scene.carryOut(remedy)
        #expect(try await scene.application.partitions(of: timelines) == 3)
        try await Monitored.wait(for: "/health/ready", at: process.address, 200)
        scene.step(
            "The process goes on by itself. To make those timelines again that do not change, stop all processes:")
        try await scene.stop(process)
        try await scene.carryOut(["reset", "--execute", "--application-only"], hidden: ["--yes"])
        let next = try await scene.startProcess()
        scene.carriedOut("tideline process")
        try await scene.expectWell(next)
        try await scene.expectComplete(7)
    }

    private static let inputGone = RunbookFailure(
        title: "An input is gone",
        means: """
            Somebody has deleted a topic that `process` reads. It goes on with what it knows, and cannot tell how far
            behind it is. `tideline topics` makes the topic again. The process notices that it is another one, says
            so, counts it in `tideline_lost_positions_total` (the alert `TidelinePositionsLost`), and reads it from
            its beginning.
            """,
        lost: "What was in the topic. Its producer must send it again; what is sent again as it was changes nothing.",
        alerts: ["TidelineTopicMissing", "TidelineUnhealthy"]
    ) { scene in
        let process = try await scene.startProcess(with: 0..<5)
        try await scene.provoke(process) {
            try await scene.application.delete([scene.application.topic("widget.configurations")])
        }
        try await scene.seeHealth(process, part: "topics", "widget.configurations is gone")
        try await scene.seeMetrics(process, [fault("widget.configurations", "missing")])
        try await scene.seeLog(process, "widget.configurations is gone")
        let remedy = try await scene.seeDoctor("topics", "widget.configurations: is missing")
        try await scene.carryOut(remedy)
        // While it is empty it ends before what was read of it; later another record may stand there.
        try await scene.seeLog(process, "it is another topic of its name")
        scene.step("Have its producer send again what was there. The process goes on by itself.")
        try await scene.publish(0..<7)
        try await scene.waitForTimelines(7)
        try await scene.expectWell(process)
        try await scene.expectComplete(7)
    }

    private static let stateGone = RunbookFailure(
        title: "The state is gone",
        means: """
            Somebody has deleted `ID.state`, or `ID.exchange`. Memory has the state no longer than the process lives,
            and whoever takes over finds none: it ends with status 70 and says that the state is empty although the
            group has read inputs. Do not make the topic by hand, which would hide that.
            """,
        lost: """
            Nothing but `refreshCount`, which begins at 1, and what retention has removed from the inputs. Revisions
            go on above those in `timelines`.
            """,
        alerts: ["TidelineTopicMissing", "TidelineUnhealthy"]
    ) { scene in
        let process = try await scene.startProcess(with: 0..<5)
        try await scene.provoke(process) {
            try await scene.application.delete(["\(scene.application.name).state"])
            try await scene.publish(5..<7)
        }
        try await scene.seeHealth(process, part: "topics", ".state is gone")
        try await scene.seeMetrics(process, [fault("tideline.state", "missing")])
        try await scene.seeLog(process, ".state is gone")
        let remedy = try await scene.seeDoctor("topics", ".state: is gone")
        scene.step("Stop all processes.")
        try await scene.stop(process)
        // Whoever starts meanwhile makes the topic and refuses it; doctor names that, too.
        let refused = try await tideline(["process"] + scene.application.options)
        #expect(refused.status == 70 && refused.standardError.contains("is empty, but the group has read"))
        try await scene.seeDoctor("state", "is empty, but the group has read")
        try await scene.carryOut(remedy, hidden: ["--yes"])
        let next = try await scene.startProcess()
        scene.carriedOut("tideline process")
        try await scene.expectWell(next)
        try await scene.expectComplete(7)
    }

    private static let otherSettings = RunbookFailure(
        title: "A topic has other settings",
        means: """
            Somebody has changed a setting of an internal topic: with `delete` brokers remove state that is old, with
            a `retention` messages between tasks. The process goes on, and would not start again. Other settings of
            inputs and outputs are in the metric and in `doctor` alone: they may be somebody's wish.
            """,
        lost: "Nothing, if it is set right before brokers act on it, which they do some minutes later.",
        alerts: ["TidelineTopicSettings", "TidelineUnhealthy"]
    ) { scene in
        let process = try await scene.startProcess(with: 0..<5)
        try await scene.provoke(process) {
            try await scene.application.change(
                .init("cleanup.policy", "delete"), of: "\(scene.application.name).state")
        }
        try await scene.seeHealth(process, part: "topics", "cleanup.policy of")
        try await scene.seeMetrics(process, [fault("tideline.state", "settings")])
        try await scene.seeLog(process, "cleanup.policy of")
        let remedy = try await scene.seeDoctor("topics", "cleanup.policy is delete, not compact")
        try await scene.carryOut(remedy, hidden: ["--yes"])
        try await scene.seeLog(process, "as it should be again")
        try await scene.publish(5..<7)
        try await scene.expectWell(process)
        try await scene.expectComplete(7)
    }

    private static let exchangeGrown = RunbookFailure(
        title: "An internal topic has more partitions",
        means: """
            Somebody has added partitions to `ID.exchange` or `ID.state`. Their number is that of the tasks, and each
            id belongs to a task by its hash; so the process goes on as before, and whoever starts refuses with status
            70. (An input may get more partitions at any time: `tideline topics --partitions P --apply` adds them.)
            """,
        lost: "Nothing but `refreshCount`, which begins at 1, and what retention has removed from the inputs.",
        alerts: ["TidelineTopicPartitions", "TidelineUnhealthy"]
    ) { scene in
        let process = try await scene.startProcess(with: 0..<5)
        let exchange = "\(scene.application.name).exchange"
        try await scene.provoke(process) {
            try await scene.application.tool(
                "org.apache.kafka.tools.TopicCommand", "--alter", "--topic", exchange, "--partitions", "4")
        }
        try await scene.seeHealth(process, part: "topics", "has 4 partitions")
        try await scene.seeMetrics(process, [fault("tideline.exchange", "partitions")])
        try await scene.seeLog(process, "has 4 partitions")
        let remedy = try await scene.seeDoctor("topics", "4 partitions, but")
        try await scene.publish(5..<7)
        scene.step("Stop all processes.")
        try await scene.stop(process)
        try await scene.carryOut(remedy, hidden: ["--yes"])
        let next = try await scene.startProcess()
        scene.carriedOut("tideline process")
        try await scene.expectWell(next)
        try await scene.expectComplete(7)
    }
}
