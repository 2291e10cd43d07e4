import Metrics
import Observability
import RdKafka
import RecordLog
import Settings
import Sinks
import Testing
import Timelines

@testable import tideline

@Suite("The health and the metrics of a sink")
struct SinkMonitoringTests {
    private let environment: Environment
    private let monitoring: Monitoring
    private let sink: SinkMonitoring

    init() throws {
        let flags = [SettingsSources.Flag(key: "metrics.listen", text: "127.0.0.1:0", flag: "--metrics")]
        let settings = try Keys.schema.resolve(SettingsSources(flags: flags))
        let environment = Environment(
            settings: settings, log: Environment.makeLog(settings),
            cluster: RdKafkaCluster(RdKafkaSettings(bootstrapServers: "127.0.0.1:9")))
        self.environment = environment
        monitoring = try #require(try Monitoring.start(environment, verb: "sink", MetricsCatalogue.sink))
        sink = SinkMonitoring(
            monitoring, environment, name: "webhook", outcomes: SinkMonitoring.Progress.outcomes(DeliverySummary()))
    }

    private func progress(
        hasBegun: Bool = true, lag: Int64? = 0, unsettled: Int = 0, successes: Int = 0, answers: Int = 0,
        settled: Int = 0
    ) -> SinkMonitoring.Progress {
        .init(
            records: 0, hasBegun: hasBegun, lag: lag, unsettled: unsettled, successes: successes,
            answers: successes + answers, settled: successes + answers + settled)
    }

    private func problems(in time: Duration = .zero) -> [HealthProblem] {
        sink.problems(.ready, now: WallClock.uptime() + time)
    }

    private func value(_ name: String) -> Double? {
        let start = name.hasSuffix("}") ? name : "\(name){"
        let line = monitoring.registry.snapshot().text.split(separator: "\n").first { $0.hasPrefix(start) }
        return line?.split(separator: " ").last.flatMap { Double($0) }
    }

    @Test(
        "a target that failed is told while something waits for it, and until it answers, with success or for good",
        arguments: [(1, 0), (0, 1)])
    func trouble(successes: Int, answers: Int) {
        defer { monitoring.close() }
        sink.note(progress(unsettled: 2))
        #expect(problems().isEmpty)
        sink.note(trouble: "503")
        // The next record is for nobody, which says nothing about the target.
        sink.note(progress(unsettled: 2, settled: 1))
        #expect(problems() == [HealthProblem("target", "503")])
        sink.note(progress(unsettled: 1, successes: successes, answers: answers, settled: 1))
        #expect(problems().isEmpty)
    }

    @Test("a sink that failed before it began has its counters, at 0")
    func countersAtZero() {
        defer { monitoring.close() }
        sink.note(failure: "it has no permission")
        for name in ["records", "started_over", "outcomes"] {
            #expect(value("tideline_sink_\(name)_total") == 0, "\(name)")
        }
    }

    @Test("the highest revision that was written is told from the first on, and stays when the sink begins again")
    func revision() {
        defer { monitoring.close() }
        func note(_ revision: Int64?) {
            var told = progress()
            told.revision = revision
            sink.note(told)
        }
        note(nil)
        #expect(value("tideline_sink_revision") == nil)
        note(17)
        #expect(value("tideline_sink_revision") == 17)
        sink.note(failure: "it cannot go on")
        sink.noteBegin()
        note(nil)
        #expect(value("tideline_sink_revision") == 17)
        note(3)
        #expect(value("tideline_sink_revision") == 17)
    }

    @Test("nothing is unwell once what waited is settled, delivered or not")
    func nothingWaits() {
        defer { monitoring.close() }
        sink.note(progress(lag: 3, unsettled: 2))
        sink.note(trouble: "503")
        sink.note(progress(lag: 3, settled: 2))
        #expect(problems().isEmpty)
        sink.note(progress(unsettled: 1, settled: 2))
        #expect(problems().map(\.part) == ["target"])
    }

    @Test("what was read and cannot be sent counts as waiting, although nothing is left to read")
    func waiting() {
        defer { monitoring.close() }
        sink.note(progress(lag: 0, unsettled: 0))
        #expect(problems(in: .seconds(61)).isEmpty && value("tideline_sink_lag_records") == 0)
        sink.note(progress(lag: 0, unsettled: 4))
        #expect(value("tideline_sink_lag_records") == 4 && problems(in: .seconds(59)).isEmpty)
        #expect(problems(in: .seconds(61)).map(\.part) == ["lag"])
    }

    @Test("a target that is waited for is told although nothing waits for it, at the start as well")
    func away() {
        defer { monitoring.close() }
        func parts(_ check: HealthCheck) -> [String] {
            sink.problems(check, now: WallClock.uptime()).map(\.part)
        }
        sink.note(away: "it is away")
        sink.note(progress(hasBegun: false, lag: nil))
        #expect(parts(.startup).isEmpty && parts(.ready) == ["startup", "target"])
        #expect(value("tideline_sink_target_away") == 1 && value("tideline_sink_lag_records") == nil)
        sink.note(away: nil)
        sink.note(progress())
        #expect(parts(.startup).isEmpty && parts(.ready).isEmpty)
        #expect(value("tideline_sink_target_away") == 0 && value("tideline_sink_lag_records") == 0)
        // What was written before it went away again says nothing of it.
        sink.note(away: "it is away again")
        sink.note(progress(successes: 1))
        #expect(problems() == [HealthProblem("target", "it is away again")] && parts(.startup).isEmpty)
        #expect(value("tideline_sink_target_away") == 1)
        sink.note(away: nil)
        #expect(problems().isEmpty && value("tideline_sink_target_away") == 0)
    }

    /// Seconds since `start` in which 20 records have come each second, and half of them were written.
    private func fallBehind(_ seconds: ClosedRange<Int>, since start: Duration) {
        let begin = Instant(milliseconds: 1_800_000_000_000)
        for second in stride(from: seconds.lowerBound, through: seconds.upperBound, by: 5) {
            let written = second * 10
            var progress = progress(lag: Int64(second * 10), successes: written)
            progress.looks = second / 5 + 1
            // The last one that was written came when half of the time had passed.
            progress.places[0] = SinkReadPlace(
                end: Offset(Int64(second * 20)), next: Offset(Int64(written)),
                lastTimestamp: Instant(milliseconds: begin.milliseconds + Int64(second) * 500))
            let wall = Instant(milliseconds: begin.milliseconds + Int64(second) * 1000)
            sink.note(progress, now: start + .seconds(second), wall: wall)
        }
    }

    @Test("a sink that writes, and to which more comes than it writes, is not ready once it is too far behind")
    func behind() {
        defer { monitoring.close() }
        let start = WallClock.uptime()
        fallBehind(0...120, since: start)
        #expect(sink.problems(.ready, now: start + .seconds(120)).isEmpty)
        #expect(value("tideline_sink_lag_seconds") == 60)
        fallBehind(125...130, since: start)
        let reason = "the sink webhook is 65 s behind, 1,300 records; allowed are 60 s (health.lag)"
        #expect(sink.problems(.ready, now: start + .seconds(130)) == [HealthProblem("lag", reason)])
        sink.turned(now: start + .seconds(130))
        #expect(sink.problems(.live, now: start + .seconds(130)).isEmpty)
        #expect(value("tideline_sink_lag_seconds") == 65)
        // What it had still to read at the last look is read before the next one.
        var last = progress(successes: 2600)
        last.looks = 27
        sink.note(last, now: start + .seconds(131))
        #expect(sink.problems(.ready, now: start + .seconds(131)).isEmpty && value("tideline_sink_lag_seconds") == 0)
    }

    @Test("a sink that sends too little is behind by how long records wait for their turn")
    func turns() {
        defer { monitoring.close() }
        var sent = progress(unsettled: 7, successes: 1)
        sent.turnWait = .seconds(60)
        sink.note(sent)
        #expect(problems().isEmpty && value("tideline_sink_lag_seconds") == 60)
        sent.turnWait = .seconds(61)
        sink.note(sent)
        let reason = "the sink webhook is 61 s behind, 7 records; allowed are 60 s (health.lag)"
        #expect(problems() == [HealthProblem("lag", reason)])
        // A target that is away explains it.
        sink.note(trouble: "503")
        #expect(problems() == [HealthProblem("target", "503")])
    }

    @Test("of several hosts one that is away is told as long as records wait for it, whatever another one takes")
    func oneHostAway() {
        defer { monitoring.close() }
        var run = progress(unsettled: 7, successes: 1)
        run.hostsAway = [HostAway(host: "dead", reason: "dead: status 404", waiting: 2, age: .seconds(90))]
        sink.note(run)
        #expect(problems() == [HealthProblem("target", "dead: status 404")])
        #expect(value("tideline_sink_target_away") == 1 && value("tideline_sink_lag_seconds") == 90)
        (run.successes, run.answers, run.settled) = (9, 9, 9)
        run.hostsAway.append(HostAway(host: "full", reason: "full: 503", waiting: 5, age: .zero, fillsUp: true))
        sink.note(run)
        let reason = "dead: status 404; full: 503; 5 records wait for full, and nothing is read before it takes some"
        #expect(problems(in: .seconds(61)) == [HealthProblem("target", reason)])
        run.hostsAway = []
        sink.note(run)
        #expect(problems().isEmpty && value("tideline_sink_target_away") == 0)
        #expect(value("tideline_sink_lag_seconds") == 0)
    }

    @Test("of several sinks the reason begins with the name of the one that is behind")
    func behindOfSeveral() {
        defer { monitoring.close() }
        let other = SinkMonitoring(monitoring, environment, name: "phones", isOnly: false)
        let health = SinksHealth(sinks: [("webhook", sink), ("phones", other)])
        sink.note(progress())
        var late = progress(unsettled: 7, successes: 1)
        late.turnWait = .seconds(90)
        other.note(late)
        #expect(
            health.problems(.ready, now: WallClock.uptime()).map(\.reason)
                == ["sink phones: it is 90 s behind, 7 records; allowed are 60 s (health.lag)"])
    }

    @Test("one that has failed for good is told by health and by its state, and no lag of it; until it turns again")
    func failed() {
        defer { monitoring.close() }
        func state(_ word: String) -> Double? { value(#"tideline_sink_state{sink="webhook",state="\#(word)"}"#) }
        #expect(state("waiting") == 1 && state("running") == 0 && state("failed") == 0 && state("stopped") == 0)
        sink.turned()
        sink.note(progress(lag: 3, unsettled: 2))
        #expect(state("waiting") == 0 && state("running") == 1)
        sink.note(trouble: "503")
        #expect(state("waiting") == 1 && state("running") == 0)
        sink.note(failure: "it cannot go on")
        #expect(state("failed") == 1 && state("waiting") == 0 && state("running") == 0)
        #expect(problems(in: .seconds(61)) == [HealthProblem("sink", "it cannot go on")])
        #expect(sink.problems(.live, now: WallClock.uptime() + .seconds(61)).isEmpty)
        #expect(value("tideline_sink_lag_records") == nil && value("tideline_sink_lag_seconds") == nil)
        #expect(value("tideline_sink_target_away") == 0)
        sink.noteBegin()
        sink.turned()
        sink.note(progress(successes: 1))
        #expect(problems().isEmpty && state("running") == 1 && value("tideline_sink_lag_records") == 0)
        sink.noteEnd()
        #expect(state("stopped") == 1 && state("running") == 0)
    }

    @Test("a loop that hangs is told; one that has ended well is no trouble, while other sinks of the process go on")
    func end() {
        defer { monitoring.close() }
        let health = SinksHealth(sinks: [("phones", sink), ("cars", sink)])
        func parts(_ check: HealthCheck) -> [String] {
            health.problems(check, now: WallClock.uptime() + .seconds(61)).map(\.part)
        }
        sink.turned()
        sink.note(progress(lag: 3, unsettled: 2))
        sink.note(trouble: "503")
        #expect(parts(.live) == ["loop", "loop"] && parts(.ready) == ["target", "target"])
        sink.noteEnd()
        #expect(parts(.live).isEmpty && parts(.ready).isEmpty && parts(.startup).isEmpty)
        #expect(value("tideline_sink_target_away") == 0)
    }

    @Test("one that has failed is unwell until it has begun again, and no supervisor is to start it anew")
    func failure() {
        defer { monitoring.close() }
        func parts(_ check: HealthCheck, in time: Duration = .zero) -> [String] {
            sink.problems(check, now: WallClock.uptime() + time).map(\.part)
        }
        sink.turned()
        sink.note(progress(lag: 3, unsettled: 2, successes: 4))
        #expect(value("tideline_sink_failures_total") == 0)
        sink.note(failure: "permission denied")
        #expect(problems() == [HealthProblem("sink", "permission denied")])
        #expect(parts(.live, in: .seconds(300)).isEmpty && parts(.startup).isEmpty)
        sink.noteBegin()
        #expect(parts(.ready) == ["startup"] && parts(.live).isEmpty && parts(.startup).isEmpty)
        sink.note(progress(successes: 1))
        #expect(parts(.ready).isEmpty && value("tideline_sink_failures_total") == 1)
        sink.note(failure: "permission denied")
        sink.noteBegin()
        sink.note(progress(successes: 2))
        #expect(value("tideline_sink_failures_total") == 2)
    }

    @Test("one that hangs while it opens its target is told after a minute, at its start and when it begins again")
    func opening() {
        defer { monitoring.close() }
        let start = Duration.seconds(1000)
        let other = SinkMonitoring(monitoring, environment, name: "phones", isOnly: false, now: start)
        func live(_ seconds: Int) -> [HealthProblem] { other.problems(.live, now: start + .seconds(seconds)) }
        #expect(live(60).isEmpty && live(61) == [HealthProblem("loop", "the sink has hung for 61 s")])
        other.turned(now: start + .seconds(70))
        #expect(live(130).isEmpty)
        other.note(failure: "permission denied")
        #expect(live(500).isEmpty)
        other.noteBegin(now: start + .seconds(500))
        #expect(live(560).isEmpty && live(561) == [HealthProblem("loop", "the sink has hung for 61 s")])
        other.turned(now: start + .seconds(561))
        #expect(live(562).isEmpty)
    }

    @Test("counts of the runs before are kept when a sink begins again")
    func counts() {
        defer { monitoring.close() }
        func note(records: Int, delivered: Int) {
            var told = self.progress(successes: delivered)
            told.records = records
            told.outcomes = [("delivered", delivered), ("skipped", 1)]
            sink.note(told)
        }
        func delivered() -> Double? { value(#"tideline_sink_outcomes_total{sink="webhook",outcome="delivered"}"#) }
        note(records: 5, delivered: 4)
        sink.note(failure: "away")
        sink.noteBegin()
        #expect(delivered() == 4 && value("tideline_sink_records_total") == 5)
        note(records: 2, delivered: 1)
        #expect(delivered() == 5 && value("tideline_sink_records_total") == 7)
        #expect(value(#"tideline_sink_outcomes_total{sink="webhook",outcome="skipped"}"#) == 2)
    }

    @Test("a topic that is waited for is told until it is read again")
    func awaiting() {
        defer { monitoring.close() }
        sink.note(progress())
        sink.note(awaiting: "timelines: unknown topic")
        #expect(problems() == [HealthProblem("topics", "reading waits for timelines: unknown topic")])
        sink.note(awaiting: nil)
        #expect(problems().isEmpty)
    }

    @Test("what it counts is there at 0 before it has read anything, so that the first rise is seen")
    func zeros() {
        defer { monitoring.close() }
        #expect(value(#"tideline_sink_outcomes_total{sink="webhook",outcome="deadLetter"}"#) == 0)
    }

    @Test("before the first success its time is that of the start, so that who never delivers is seen")
    func lastSuccess() throws {
        defer { monitoring.close() }
        let name = "tideline_sink_last_success_timestamp_seconds"
        let start = try #require(value(name))
        #expect(abs(start - Double(WallClock.systemTime().milliseconds) / 1000) < 60)
        sink.note(progress(settled: 1))
        #expect(value(name) == start)
        sink.note(progress(successes: 1, settled: 1))
        #expect(try #require(value(name)) >= start)
    }
}
