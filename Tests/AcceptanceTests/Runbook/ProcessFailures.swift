import Foundation
import RecordLog
import TestSupport
import Testing

extension RunbookFailure {
    static let ofProcesses = [processHangs, threadHangs, badInput]

    private static let processHangs = RunbookFailure(
        title: "A process hangs",
        means: """
            It is there and does nothing: it was stopped (`SIGSTOP`), or its machine swaps. It can tell nothing of
            itself: health and metrics do not answer, which a supervisor's probe takes for a no and Prometheus for
            `up` 0, and its file of `--health-file` grows old. Its tasks go to others after `session.timeout`; where it
            is alone, nothing is made meanwhile.
            """,
        lost: "Nothing. Whoever takes its tasks over reads again what was not committed.",
        alerts: ["TidelineDown"]
    ) { scene in
        let process = try await scene.startProcess(with: 0..<5)
        // The last line before it hangs: nothing comes afterwards.
        try await scene.seeLog(process, "tasks 2 running")
        try await scene.provoke(process) { process.runner.signal(SIGSTOP) }
        try await scene.seeNoAnswer(process)
        try await scene.publish(5..<7)
        try await scene.seeDoctor("processes", "does not answer", asking: process)
        process.runner.kill()
        _ = await process.runner.result()
        scene.step("End it with SIGKILL, if the supervisor has not done so, and start it again:")
        let next = try await scene.startProcess()
        scene.carriedOut("tideline process")
        try await scene.expectWell(next)
        try await scene.expectComplete(7)
    }

    private static let threadHangs = RunbookFailure(
        title: "A thread hangs",
        means: """
            A process answers, and one of its threads waits for what does not come: a lock that nobody gives back, or,
            as in the test, a log that nobody reads any more. After twelve seconds `/health/ready` says that it gets
            nowhere, after a minute or so `/health/live` that it hangs (the alerts `TidelineNothingCommitted` and
            `TidelineHung`).
            """,
        lost: "Nothing. Whoever takes its tasks over reads again what was not committed.",
        alerts: ["TidelineUnhealthy"]
    ) { scene in
        let (process, reader) = try await scene.startProcessWithReader(with: 0..<5)
        try await scene.seeLog(process, "tasks 2 running")
        try await scene.provoke(process) {
            reader.signal(SIGSTOP)
            try await scene.publish(5..<300)
        }
        try await scene.seeHealth(process, part: "commits", "has made no progress for ")
        try await scene.seeMetrics(
            process,
            [
                ("tideline_stream_progress_age_seconds", { $0 > 12 }),
                (#"tideline_health{check="ready"}"#, { $0 == 0 }),
            ])
        try await scene.seeDoctor("processes", "commits: stream thread 0", asking: process)
        process.runner.kill()
        _ = await process.runner.result()
        reader.kill()
        scene.step("End it with SIGKILL, mend what it waited for, and start it again:")
        let next = try await scene.startProcess()
        scene.carriedOut("tideline process")
        try await scene.expectWell(next)
        try await scene.expectComplete(300)
    }

    private static let badInput = RunbookFailure(
        title: "Records cannot be used",
        means: """
            Somebody produces records that the contract does not allow. Each goes to `tideline.dead-letters` as it
            came, with the reason; the process is well and goes on, so that health says yes and tells it as a notice.
            `tideline dead-letters list` has a line for each, and `show` one with its value.
            """,
        lost: """
            What they should have said, until their producer sends it again, or until a release that takes them is
            there and `tideline dead-letters replay` puts them back.
            """,
        alerts: ["TidelineDeadLetters"]
    ) { scene in
        let process = try await scene.startProcess(with: 0..<5)
        try await scene.provoke(process) {
            try await scene.application.produce(
                (5..<17).map { (key: "c\($0)", value: Array(#"{"configurationId": "c\#($0)""#.utf8), headers: []) },
                to: "widget.configurations")
        }
        let series = #"tideline_dead_letters_total{topic="widget.configurations",reason="unreadable"}"#
        try await scene.seeMetrics(process, [(series, { $0 == 12 })])
        try await scene.seeNotice(
            process, part: "dead-letters", "12 records of widget.configurations could not be used (unreadable)")
        try await scene.seeLog(process, "source.failed")
        let remedy = try await scene.seeDoctor(
            "dead-letters", "12 dead letters wait: 12 unreadable", asking: process,
            notice: "dead-letters: 12 records of widget.configurations")
        let counts = try await scene.carryOut(remedy)
        #expect(counts.standardOutput.contains(#""waiting":12"#), "\(counts.failure)")
        scene.step("Tell their producer, who mends it and sends them again. Then set the old ones aside:")
        try await scene.publish(5..<17)
        try await scene.carryOut(["dead-letters", "drop", "--all"], hidden: ["--yes"])
        try await scene.waitForTimelines(17)
        try await scene.expectWell(process)
        try await scene.expectComplete(17)
    }
}
