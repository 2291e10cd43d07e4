import Foundation
import TestSupport
import Testing

extension RunbookFailure {
    static let ofSinks = [targetRefuses, targetRefusesAll, targetAway, sinkGone]

    private static let targetRefuses = RunbookFailure(
        title: "A target refuses reloads",
        means: """
            A webhook answers single reloads with a status such as 400, 409 or 422, or Apple with a reason that
            another try does not change. Each reload that was refused so is a dead letter with the answer, and the sink
            goes on with the next: health says yes, and tells it as a notice. The statuses 401 to 405, 407, 408, 410,
            421, 423, 425, 426 and 429 say nothing of the reload: the sink waits, as in the next section.
            """,
        lost: "Nothing: what was refused is sent again by `replay`. A device shows what it had until then.",
        alerts: ["TidelineSinkDeadLetters"]
    ) { scene in
        let hook = try Hook(answering: 400)
        defer { hook.stop() }
        let process = try await scene.start(["process"])
        let sink = try await scene.start(["sink", "--reloads", hook.address])
        try await scene.provoke(sink) { try await scene.publish(0..<1) }
        let series = #"tideline_sink_outcomes_total{sink="webhook-…",outcome="deadLetter"}"#
        try await scene.seeMetrics(sink, [(series, { $0 == 1 })])
        try await scene.seeNotice(sink, part: "dead-letters", "1 record could not be written or sent")
        try await scene.seeLog(sink, "The webhook refused it with status 400")
        try await scene.seeDoctor(
            "dead-letters", "1 dead letter waits", asking: sink, notice: "dead-letters: 1 record could not be")
        scene.step("Mend the target. Then put the reloads back, which are sent at once:")
        try hook.answer(200)
        try await scene.carryOut(["dead-letters", "replay", "--all"], hidden: ["--yes"])
        let isDelivered = await eventually { hook.taken == 1 }
        #expect(isDelivered, "\(hook.taken)")
        try await scene.expectWell(sink)
        try await scene.expectWell(process)
    }

    private static let targetRefusesAll = RunbookFailure(
        title: "A target refuses all reloads",
        means: """
            A webhook refuses one reload after the other with the same status, such as 400 or 422, and takes none
            between. After twenty of more than one recipient (`webhook.refusals`) this speaks of the webhook, and the
            sink waits for it and reads no further: health says no. Those before are dead letters. After 401 to 405,
            407, 410, 421, 423 and 426 it waits at once, and nothing is a dead letter.
            """,
        lost: """
            Nothing: the dead letters are sent again by `replay`, all others by the sink itself. Reloads that are older
            than `reloads.max-age` by then are left out, and counted.
            """,
        alerts: ["TidelineSinkDeadLetters", "TidelineUnhealthy"]
    ) { scene in
        let (count, deadLetters) = (25, 19)
        let hook = try Hook(answering: 400)
        defer { hook.stop() }
        let process = try await scene.start(["process"])
        let sink = try await scene.start(["sink", "--reloads", hook.address])
        try await scene.provoke(sink) { try await scene.publish(0..<count) { "reader-\($0)" } }
        try await scene.seeHealth(sink, part: "target", "20 records in a row and none taken between")
        let series = #"tideline_sink_outcomes_total{sink="webhook-…",outcome="deadLetter"}"#
        try await scene.seeMetrics(
            sink, [(series, { $0 == Double(deadLetters) }), (#"tideline_health{check="ready"}"#, { $0 == 0 })])
        try await scene.seeLog(sink, "what waits is tried again until one is taken")
        try await scene.seeDoctor("dead-letters", "\(deadLetters) dead letters wait")
        try await scene.seeDoctor("processes", "target: ", asking: sink)
        scene.step(
            "Mend the target: its address, or what it expects. The sink goes on by itself within"
                + " `reloads.backoff.max` (five minutes). Then put the others back:")
        try hook.answer(200)
        let goesOn = await eventually(within: .seconds(150)) { hook.taken == count - deadLetters }
        #expect(goesOn, "\(hook.taken)")
        try await scene.carryOut(["dead-letters", "replay", "--all"], hidden: ["--yes"])
        let isDelivered = await eventually(within: .seconds(120)) { hook.taken == count }
        #expect(isDelivered, "\(hook.taken)")
        try await scene.expectWell(sink)
        try await scene.expectWell(process)
    }

    private static let targetAway = RunbookFailure(
        title: "A target does not answer",
        means: """
            The server, Apple, or the folder that a sink writes to is away: a server is down, a disk is full. The
            sink holds what it has, tries again and again, and reads no further. A folder that is gone ends it with
            status 70, which says so; beside other sinks of its process it begins again by itself.
            """,
        lost: "Nothing. Reloads that are older than `reloads.max-age` by then are left out, and counted.",
        alerts: ["TidelineSinkBehind", "TidelineUnhealthy"]
    ) { scene in
        let hook = try Hook(answering: 200)
        let process = try await scene.start(["process"])
        let sink = try await scene.start(["sink", "--reloads", hook.address])
        try await scene.provoke(sink) {
            hook.stop()
            try await scene.publish(0..<1)
        }
        try await scene.seeHealth(sink, part: "target", "Couldn't connect to server")
        try await scene.seeMetrics(
            sink,
            [
                (#"tideline_sink_lag_records{sink="webhook-…"}"#, { $0 == 1 }),
                (#"tideline_health{check="ready"}"#, { $0 == 0 }),
            ])
        try await scene.seeLog(sink, "trying again")
        try await scene.seeDoctor("processes", "target: ", asking: sink)
        scene.step(
            "Mend the target. The sink goes on by itself: of webhooks and pushes within `reloads.backoff.max` (five"
                + " minutes), of `https:` within `sink.http.backoff.max` (a minute), the others within seconds.")
        let mended = try Hook(answering: 200, at: hook)
        defer { mended.stop() }
        let isDelivered = await eventually(within: .seconds(60)) { mended.taken == 1 }
        #expect(isDelivered, "\(mended.taken)")
        try await scene.expectWell(sink)
        try await scene.expectWell(process)
    }
}

extension RunbookFailure {
    fileprivate static let sinkGone = RunbookFailure(
        title: "A sink is gone",
        means: """
            The process of a sink was killed, or its machine is gone, and nothing has started it again. It can tell
            nothing of itself: health and metrics do not answer. What it would write waits in its topic. After twenty
            seconds `doctor` and `tideline sink --status` know it as silent. One that was told to end says so, and is
            no failure.
            """,
        lost: """
            Nothing, as long as the topic keeps what waits (`timelines` is compacted, `timeline.reloads` has its
            `retention.ms`): the sink goes on behind what it wrote last. Reloads that are older than `reloads.max-age`
            by then are left out, and counted.
            """,
        alerts: ["TidelineDown"]
    ) { scene in
        let application = scene.application
        let folder = application.directory.appending(path: "out")
        func written() -> Int {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return names.count { $0.hasSuffix(".json") && !$0.hasPrefix(".") }
        }
        let process = try await scene.startProcess(with: 0..<2)
        let words = ["sink", "--to", "files:\(folder.path)"]
        let sink = try await scene.start(words)
        let isWritten = await eventually(within: .seconds(120)) { written() == 2 }
        #expect(isWritten, "\(sink.log)")
        // The last that it says of itself.
        try await scene.seeLog(sink, "sink begins")
        try await scene.provoke(sink) {
            sink.runner.kill()
            _ = await sink.runner.result()
        }
        try await scene.seeNoAnswer(sink)
        try await scene.publish(2..<4)
        try await scene.waitForTimelines(4)
        let isSilent = try await eventually(within: .seconds(60), every: .seconds(1)) {
            try await tideline(["sink", "--status"] + application.options).standardOutput.contains("silent")
        }
        #expect(isSilent)
        try await scene.seeDoctor("sinks", "has told nothing for ")
        scene.step("Look at its exit status and at its last log lines. Then start it again, as the line says:")
        let next = try await scene.start(words)
        scene.carriedOut("tideline sink --to files:out")
        let goesOn = await eventually(within: .seconds(120)) { written() == 4 }
        #expect(goesOn, "\(next.log)")
        try await scene.expectWell(next)
        try await scene.expectWell(process)
        try await scene.expectComplete(4)
    }
}

/// A webhook's receiver without TLS, which answers everything with one status.
private struct Hook {
    private let port: UInt16
    private let folder: URL
    private let runner: ProcessRunner

    private static let program = """
        import http.server, sys
        class Hook(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers.get("content-length", 0)))
                status = open(sys.argv[2] + "/status").read()
                self.send_response(int(status))
                self.send_header("content-length", "0")
                self.end_headers()
                open(sys.argv[2] + "/taken", "a").write("x" if status == "200" else "")
            def log_message(self, *words):
                pass
        http.server.HTTPServer.allow_reuse_address = True
        http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Hook).serve_forever()
        """

    /// - Parameter before: one that has stopped, whose port it takes.
    init(answering status: Int, at before: Hook? = nil) throws {
        port = try before?.port ?? freePortPair()
        folder = TemporaryDirectory.make("hook")
        try Data("\(status)".utf8).write(to: folder.appending(path: "status"))
        runner = try ProcessRunner(
            URL(filePath: "/usr/bin/python3"), ["-c", Self.program, String(port), folder.path], timeout: .seconds(600))
    }

    var address: String { "http://127.0.0.1:\(port)/reloads" }
    /// The reloads that it took.
    var taken: Int { (try? Data(contentsOf: folder.appending(path: "taken")).count) ?? 0 }

    func answer(_ status: Int) throws { try Data("\(status)".utf8).write(to: folder.appending(path: "status")) }

    func stop() { runner.kill() }
}
