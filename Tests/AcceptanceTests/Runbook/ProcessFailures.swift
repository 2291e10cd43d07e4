import Foundation
import RecordLog
import TestSupport
import Testing

extension RunbookFailure {
    static let ofProcesses = [processHangs, badInput]

    private static let processHangs = RunbookFailure(
        title: "A process hangs",
        means: """
            It is there and does nothing: it was stopped (`SIGSTOP`), its machine swaps, or it waits for a lock that
            nobody gives back. It does not answer, or `/health/live` says no and names the thread (the alert
            `TidelineHung`). Its tasks go to others after `session.timeout`; where it is alone, nothing is made
            meanwhile.
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

    private static let badInput = RunbookFailure(
        title: "Records cannot be used",
        means: """
            Somebody produces records that the contract does not allow. Each goes to `tideline.dead-letters` as it
            came, with the reason; the process is well and goes on. `tideline dead-letters list` has a line for each,
            and `show` one with its value.
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
        try await scene.seeNoHealth(process)
        try await scene.seeLog(process, "source.failed")
        let remedy = try await scene.seeDoctor("dead-letters", "12 dead letters wait: 12 unreadable")
        let counts = try await scene.carryOut(["dead-letters", "list", "--counts"])
        #expect(counts.standardOutput.contains(#""waiting":12"#), "\(counts.failure)")
        scene.step("Tell their producer, who mends it and sends them again. Then set the old ones aside:")
        try await scene.publish(5..<17)
        try await scene.carryOut(remedy, hidden: ["--yes"])
        try await scene.waitForTimelines(17)
        try await scene.expectWell(process)
        try await scene.expectComplete(17)
    }
}
