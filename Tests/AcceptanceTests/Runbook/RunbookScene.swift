import Foundation
import RecordLog
import TestSupport
import Testing

/// One failure on the stage: the application that it happens to, its processes, and what was seen.
final class RunbookScene {
    let failure: RunbookFailure
    private(set) var application: Application
    let broker: TestBroker
    private(set) var sighting = RunbookSighting()
    private var starts = 0
    private var processes: [Member] = []
    private var provoked = ContinuousClock.now
    private static let limit = Duration.seconds(15)

    /// A process of the application that serves metrics and health.
    struct Member: Sendable {
        var runner: ProcessRunner
        var address: String
        /// Reads its log, where that goes through a pipe.
        var reader: ProcessRunner?

        var log: String { reader?.output ?? runner.errorOutput }
    }

    init(_ failure: RunbookFailure, on broker: TestBroker) async throws {
        self.failure = failure
        self.broker = broker
        application = try await Application("runbook", partitions: failure.partitions, on: broker)
        // Who is killed counts as alive for so long.
        application.settings = ["--set", "session.timeout=PT6S"]
    }

    /// Kills what runs still.
    func close() {
        for process in processes {
            process.runner.kill()
            process.reader?.kill()
        }
    }

    /// Adds options to all verbs that run from here on.
    func add(_ settings: [String]) { application.settings += settings }

    // MARK: - Processes

    /// Starts `process` and waits until it is ready. Its clock shows a minute of one hour, later at each start.
    func startProcess() async throws -> Member {
        starts += 1
        let minute = 20 + 2 * starts
        return try await start(["process", "--clock", "2026-11-20T06:\(minute):00Z"])
    }

    /// Starts `process` and gives it configurations; they have their timelines then.
    func startProcess(with ids: Range<Int>) async throws -> Member {
        let process = try await startProcess()
        try await publish(ids)
        try await waitForTimelines(ids.upperBound)
        return process
    }

    /// Starts a verb and waits until it is ready.
    func start(_ words: [String]) async throws -> Member {
        let runner = try ProcessRunner(
            TidelineExecutable.url, words + ["--metrics", "127.0.0.1:0"] + application.options,
            environment: ["TIDELINE_WEBHOOK_SECRET": "whsec_dGlkZWxpbmUncyBjb21wb3NpdGlvbiBmb3IgdHJpYWxz"],
            timeout: .seconds(600))
        let member = Member(runner: runner, address: try await Monitored.address(of: runner))
        processes.append(member)
        try await Monitored.wait(for: "/health/ready", at: member.address, 200)
        return member
    }

    /// Starts `process` with a log that goes into a small pipe, which another program reads: when that stands still, so
    /// does each thread that has something to say.
    func startProcessWithReader(with ids: Range<Int>) async throws -> (process: Member, reader: ProcessRunner) {
        let pipe = TemporaryDirectory.make("log").appending(path: "pipe").path
        try #require(mkfifo(pipe, 0o600) == 0)
        let program = """
            import fcntl, os, sys
            pipe = os.open(sys.argv[1], os.O_RDONLY)
            fcntl.fcntl(pipe, 1031, 4096)
            while part := os.read(pipe, 4096):
                os.write(1, part)
            """
        let reader = try ProcessRunner(
            URL(filePath: "/usr/bin/python3"), ["-c", program, pipe], timeout: .seconds(600))
        let address = "127.0.0.1:\(try freePortPair())"
        let runner = try ResourceWorld.start(
            [
                "process", "--clock", "2026-11-20T06:20:00Z", "--metrics", address, "--set", "log.level=debug",
            ] + application.options, after: "exec 2> '\(pipe)'", timeout: .seconds(600))
        let member = Member(runner: runner, address: address, reader: reader)
        processes.append(member)
        try await Monitored.wait(for: "/health/ready", at: address, 200)
        try await publish(ids)
        try await waitForTimelines(ids.upperBound)
        return (member, reader)
    }

    func stop(_ member: Member) async throws {
        member.runner.terminate()
        let result = await member.runner.result()
        #expect(result.succeeded, "\(failure.title): \(result.failure)")
    }

    // MARK: - Data

    /// Publishes configurations whose timelines are the same at all instants of the hour.
    func publish(_ ids: Range<Int>, recipient: (Int) -> String = { _ in "ana" }) async throws {
        let lines = ids.map { id in
            #"{"configurationId": "c\#(id)", "kind": "K", "recipient": "\#(recipient(id))", "parameters": "#
                + #"{"n": \#(id)}, "#
                + #""strategy": {"name": "timesOfDay", "times": ["07:00", "12:00"]}}"#
        }
        try await application.publish(configurations: lines.joined(separator: "\n") + "\n")
    }

    /// Waits until so many configurations have a timeline.
    func waitForTimelines(_ count: Int) async throws {
        let isThere = try await eventually(within: .seconds(120)) { try await timelines(application).count == count }
        try #require(isThere, "\(failure.title): no \(count) timelines")
    }

    /// Every configuration has the timeline that an application makes which never met the failure.
    func expectComplete(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let reference = try await Application("reference", besides: application)
        _ = try await reference.process(clock: "2026-11-20T06:50:00Z")
        let wanted = try await timelines(reference)
        #expect(wanted.count == count, "\(failure.title)", sourceLocation: sourceLocation)
        let isSame = try await eventually(within: .seconds(120)) { try await timelines(application) == wanted }
        let found = try await timelines(application)
        #expect(isSame, "\(failure.title): \(found) is not \(wanted)", sourceLocation: sourceLocation)
    }

    private func timelines(_ application: Application) async throws -> [String: NSDictionary] {
        var newest: [String: NSDictionary] = [:]
        for record in try await application.records(of: "timelines") {
            newest[record.keyText] = record.value == nil ? nil : TimelineHistory.content(of: try record.json())
        }
        return newest
    }

    // MARK: - Provoking and looking

    /// Takes the samples of before, and lets the failure come. The time counts from when it is there: the tools that
    /// bring it about take as long as they take.
    func provoke(_ member: Member, _ body: () async throws -> Void) async throws {
        sighting.before = try await RunbookAlerts.scrape(member.address)
        try await body()
        provoked = .now
    }

    /// Looks until the failure is seen; false if that takes longer than fifteen seconds.
    private func isSeenInTime(_ look: () async throws -> Bool) async throws -> Bool {
        try await isSeen(within: Self.limit, since: provoked, look)
    }

    /// Waits until /health/ready says so, within fifteen seconds.
    func seeHealth(
        _ member: Member, part: String, _ words: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let (title, application) = (failure.title, application)
        var last = ""
        let isSeen = try await isSeenInTime {
            last = try await RunbookAlerts.get("/health/ready", at: member.address)
            let found = Self.problems(last).first { $0.part == part && $0.reason.contains(words) }
            if let found { sighting.health = RunbookMask(application).text("\(found.part): \(found.reason)") }
            return found != nil
        }
        sighting.healthTime = .now - provoked
        #expect(isSeen, "\(title): \(last)", sourceLocation: sourceLocation)
    }

    /// Waits until /health/ready tells it as a notice, within fifteen seconds: the process is well, which this failure
    /// does not change.
    func seeNotice(
        _ member: Member, part: String, _ words: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let mask = RunbookMask(application)
        var last = ""
        let isSeen = try await isSeenInTime {
            last = try await RunbookAlerts.get("/health/ready", at: member.address)
            let found = Self.parts(last, "notices").first { $0.part == part && mask.text($0.reason).contains(words) }
            if let found { sighting.health = mask.text("\(found.part): \(found.reason)") }
            return found != nil
        }
        sighting.isReady = true
        sighting.healthTime = .now - provoked
        let isWell = Self.problems(last).isEmpty
        #expect(isSeen && isWell, "\(failure.title): \(last)", sourceLocation: sourceLocation)
    }

    /// Nobody answers, within fifteen seconds: a process that is stopped, or gone, can say nothing of itself. What an
    /// operator sees in place of health and metrics is that, and `up` of Prometheus.
    func seeNoAnswer(_ member: Member, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let isSeen = try await isSeenInTime {
            try await RunbookAlerts.get("/health/ready", at: member.address, within: 2).isEmpty
        }
        #expect(isSeen, "\(failure.title)", sourceLocation: sourceLocation)
        sighting.health = "nothing answers"
        (sighting.healthTime, sighting.metricsTime) = (.now - provoked, .now - provoked)
        sighting.metrics = [#"up{job="tideline"} 0"#]
        sighting.during = nil
    }

    /// Waits until all series are in /metrics with these values, within fifteen seconds.
    ///
    /// - Parameter wanted: a series without its value, and what the value must be.
    func seeMetrics(
        _ member: Member, _ wanted: [(series: String, isMet: (Double) -> Bool)],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let mask = RunbookMask(application)
        var scrape = RunbookAlerts.Scrape()
        let isSeen = try await isSeenInTime {
            scrape = try await RunbookAlerts.scrape(member.address)
            return wanted.allSatisfy { series, isMet in
                scrape.samples.contains { mask.text($0.key) == series && isMet($0.value) }
            }
        }
        sighting.metricsTime = .now - provoked
        sighting.during = scrape
        sighting.metrics = wanted.map(\.series)
        let shown = scrape.samples.filter { sample in wanted.contains { sample.key.hasPrefix($0.series.prefix(20)) } }
        #expect(isSeen, "\(failure.title): \(shown)", sourceLocation: sourceLocation)
    }

    /// Waits for a line of the log that has these words, and keeps it; once something was done, as what came of that.
    func seeLog(_ member: Member, _ words: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        var line: String?
        _ = await eventually(within: .seconds(60)) {
            line = member.log.split(separator: "\n").first { $0.contains(words) }.map(String.init)
            return line != nil
        }
        let found = try #require(
            line, "\(failure.title): \(member.log)", sourceLocation: sourceLocation)
        let shown = RunbookMask(application).line(found)
        if sighting.steps.isEmpty { sighting.log.append(shown) } else { sighting.steps.append(.line(shown)) }
    }

    /// `doctor` ends with status 70, and one of its lines names the failure.
    ///
    /// - Parameter notice: what it says besides of the process that it asks.
    /// - Returns: the words of the command behind the arrow; none where there is no command of Tideline's.
    @discardableResult
    func seeDoctor(
        _ check: String, _ words: String, asking member: Member? = nil, notice: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [String] {
        let ask = member.map { ["--ask", $0.address] } ?? []
        let result = try await tideline(
            ["doctor", "--seconds", "1"] + ask + application.options, timeout: .seconds(180))
        #expect(result.status == 70, "\(failure.title): \(result.failure)", sourceLocation: sourceLocation)
        let mask = RunbookMask(application)
        let line = result.standardOutput.split(separator: "\n").map(String.init).first {
            $0.hasPrefix("✗ \(check) ") && mask.text($0).contains(words)
        }
        let found = try #require(line, "\(failure.title): \(result.failure)", sourceLocation: sourceLocation)
        sighting.doctor.append(mask.text(found))
        if let notice {
            let isSaid = mask.text(result.standardOutput).contains(notice)
            #expect(isSaid, "\(failure.title): \(result.failure)", sourceLocation: sourceLocation)
        }
        guard let remedy = found.range(of: "→ "), let command = found[remedy.upperBound...].range(of: "tideline ")
        else {
            return []
        }
        return found[command.upperBound...].split(separator: " ").map(String.init)
    }

    private static func problems(_ text: String) -> [(part: String, reason: String)] { parts(text, "problems") }

    private static func parts(_ text: String, _ name: String) -> [(part: String, reason: String)] {
        let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let parts = object?[name] as? [[String: Any]] ?? []
        return parts.map { ($0["part"] as? String ?? "", $0["reason"] as? String ?? "") }
    }

    // MARK: - Repairing

    /// Writes a step down that no verb does.
    func step(_ sentence: String) { sighting.steps.append(.sentence(sentence)) }

    /// Runs a verb, and writes it down as a step.
    ///
    /// - Parameter words: with the application's options, or without.
    /// - Parameter hidden: words that a terminal does not need.
    @discardableResult
    func carryOut(_ words: [String], hidden: [String] = []) async throws -> ProcessResult {
        let options = words.contains("--bootstrap") ? application.settings : application.options
        let result = try await tideline(words + hidden + options, timeout: .seconds(120))
        try #require(result.succeeded, "\(failure.title): \(words): \(result.failure)")
        let shown = words.prefix { $0 != "--bootstrap" }.joined(separator: " ")
        sighting.steps.append(.command("tideline \(shown)"))
        return result
    }

    /// Writes a command down that was run otherwise.
    func carriedOut(_ command: String) { sighting.steps.append(.command(command)) }

    /// It is ready, and `doctor` finds nothing bad.
    func expectWell(_ member: Member, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await Monitored.wait(for: "/health/ready", at: member.address, 200)
        var last = ""
        // The group knows its members a moment later than they know themselves.
        let isWell = try await eventually(within: .seconds(120), every: .seconds(1)) {
            let result = try await tideline(
                ["doctor", "--seconds", "1", "--ask", member.address] + application.options, timeout: .seconds(180))
            last = result.failure
            return result.status == 0
        }
        #expect(isWell, "\(failure.title): \(last)", sourceLocation: sourceLocation)
    }
}
