import Observability
import RdKafka
import RecordLog
import Settings
import Simulation
import StreamRuntime
import Testing

@testable import tideline

@Suite("The health of a pipeline, and why it is not well")
struct PipelineHealthTests {
    private let health: PipelineHealth
    private let lag = LagWatch()
    private let topics: TopicWatch

    init() throws {
        let settings = try Keys.schema.resolve(SettingsSources())
        let environment = Environment(
            settings: settings, log: Environment.makeLog(settings),
            cluster: RdKafkaCluster(RdKafkaSettings(bootstrapServers: "127.0.0.1:9")))
        topics = TopicWatch(environment, tasks: 1)
        health = PipelineHealth(environment, lag, topics)
    }

    private static func status(
        _ state: StreamStatus.State = .running, at: Duration, progress: Duration? = nil
    ) -> StreamStatus {
        var status = StreamStatus()
        status.at = at
        status.lastProgress = progress ?? at
        status.wasEverAssigned = true
        status.tasks = [.init(partition: 0, state: state, firesTimers: true)]
        return status
    }

    private func parts(_ check: HealthCheck, _ now: Duration) -> [String] {
        health.problems(check, now: now).map(\.part)
    }

    private func reason(_ problems: [HealthProblem]) -> String { problems.first?.reason ?? "" }

    @Test("it has begun once the group has given out tasks and they run, and stays so through later restores")
    func startup() {
        health.see([StreamStatus()], now: .seconds(1))
        #expect(parts(.startup, .seconds(1)) == ["startup"] && parts(.ready, .seconds(1)) == ["startup"])
        #expect(parts(.live, .seconds(1)).isEmpty)
        health.see([Self.status(.restoring(next: 5, end: 10), at: .seconds(2))], now: .seconds(2))
        #expect(parts(.startup, .seconds(2)) == ["restore"])
        health.see([Self.status(at: .seconds(3))], now: .seconds(3))
        #expect(parts(.startup, .seconds(3)).isEmpty && parts(.ready, .seconds(3)).isEmpty)
        health.see([Self.status(.restoring(next: 0, end: 10), at: .seconds(4))], now: .seconds(4))
        #expect(parts(.startup, .seconds(4)).isEmpty && parts(.ready, .seconds(4)) == ["restore"])
    }

    @Test("a thread that commits nothing is named after twelve seconds, with the last failure")
    func commits() {
        health.see([Self.status(at: .seconds(1))], now: .seconds(1))
        health.note(.aborted(LogError(.timedOut, name: "_TIMED_OUT", "no answer")), now: .seconds(5))
        let status = Self.status(at: .seconds(13), progress: .seconds(1))
        health.see([status], now: .seconds(13))
        #expect(parts(.ready, .seconds(12)).isEmpty)
        let problems = health.problems(.ready, now: .seconds(14))
        #expect(problems.map(\.part) == ["commits"])
        #expect(reason(problems).contains("for 13 s") && reason(problems).contains("no answer"))
        #expect(parts(.live, .seconds(14)).isEmpty)
    }

    @Test("a restore that moves is told as such, one that stands still with how long it has")
    func restore() {
        for second in 1...20 {
            let next = Offset(Int64(min(second, 5)))
            health.see(
                [Self.status(.restoring(next: next, end: 9), at: .seconds(second))], now: .seconds(second))
            if second == 5 {
                #expect(!reason(health.problems(.ready, now: .seconds(5))).contains("stood still"))
            }
        }
        let problems = health.problems(.ready, now: .seconds(20))
        #expect(
            problems.map(\.part) == ["restore"] && reason(problems).contains("5 of 9, which has stood still for 15 s")
        )
    }

    @Test("an output that is gone is named until the thread that misses it has it back, whatever others commit")
    func outputs() {
        let well = Self.status(at: .seconds(2))
        var waiting = well
        waiting.missingTopics = ["timelines", "reloads"]
        health.see([waiting, well], now: .seconds(2))
        let problems = health.problems(.ready, now: .seconds(2))
        #expect(problems.map(\.part) == ["outputs"] && reason(problems).hasPrefix("reloads, timelines can be"))
        health.note(.committed(records: 1), now: .seconds(3))
        health.see([waiting, well], now: .seconds(3))
        #expect(parts(.ready, .seconds(3)) == ["outputs"])
        health.see([well, well], now: .seconds(4))
        #expect(parts(.ready, .seconds(4)).isEmpty)
    }

    @Test("the command that makes a topic again has the numbers that it had, or those of another of its kind")
    func formerShape() throws {
        let cluster = MemoryCluster(clock: ManualClock())
        let admin = try cluster.makeAdmin()
        for (name, partitions, replication) in [("timelines", 12, 3), ("timeline.positions.merged", 5, 2)] {
            let topic = NewTopic(
                name: name, partitions: Int32(partitions), replication: Int32(replication),
                settings: [.init("cleanup.policy", "compact")])
            try admin.createTopic(topic, timeout: .seconds(1))
        }
        health.see([Self.status(at: .zero)], now: .zero)
        topics.look(admin, isAway: false, now: .zero)
        cluster.deleteTopic("timelines")
        topics.look(admin, isAway: false, now: .seconds(5))
        let told = health.problems(.ready, now: .seconds(5)).map(\.reason)
        let makes = "' makes it anew"
        for text in [
            "timelines is gone: 'tideline topics --partitions 12 --replication 3\(makes)",
            "timeline.reloads is gone: 'tideline topics --partitions 5 --replication 2\(makes), with the numbers of"
                + " timeline.positions.merged",
            "vehicle.telemetry is gone: 'tideline topics\(makes), with --partitions and --replication as it had",
        ] {
            #expect(told.contains(text), "\(told)")
        }
    }

    @Test("records of which nothing is known are no trouble before they have waited for health.lag")
    func firstRecords() throws {
        let cluster = MemoryCluster(clock: ManualClock())
        cluster.createTopic("t", partitions: 1)
        cluster.append("t", 0, key: "k", value: "v")
        let ends = try cluster.makeAdmin()
        var status = Self.status(at: .zero)
        status.tasks[0].positions = [.init(topicPartition: TopicPartition("t", 0), next: 0)]
        for second in stride(from: 0, through: 65, by: 5) {
            let now = Duration.seconds(second)
            health.see([Self.status(at: now)], now: now)
            lag.look([status], ends, isAway: false, every: .zero, now: now)
            #expect(lag.latest?.first?.records == 1 && lag.latest?.first?.time == nil)
            #expect(parts(.ready, now) == (second > 60 ? ["lag"] : []), "\(second)")
        }
        #expect(reason(health.problems(.ready, now: .seconds(65))).contains("have waited for 65 s at least"))
    }

    @Test("a lag that cannot be asked for is told, with why, at the third question without an answer")
    func unknownLag() throws {
        let cluster = MemoryCluster(clock: ManualClock())
        var status = Self.status(at: .zero)
        status.tasks[0].positions = [.init(topicPartition: TopicPartition("none", 0), next: 0)]
        health.see([Self.status(at: .zero)], now: .zero)
        for count in 1...3 {
            lag.look([status], try cluster.makeAdmin(), isAway: false, every: .zero, now: .seconds(count))
            #expect(parts(.ready, .seconds(count)) == (count == 3 ? ["lag"] : []))
        }
        #expect(reason(health.problems(.ready, now: .seconds(3))).hasPrefix("the lag is not known: "))
        lag.look([status], try cluster.makeAdmin(), isAway: true, every: .zero, now: .seconds(4))
        #expect(parts(.ready, .seconds(4)).isEmpty)
    }

    @Test("a thread that does not turn is not live, after thirty seconds and the longest commit")
    func hung() {
        health.see([Self.status(at: .seconds(1))], now: .seconds(60))
        #expect(parts(.live, .seconds(41)).isEmpty)
        #expect(parts(.live, .seconds(42)) == ["loop"])
    }

    @Test("what brokers refuse for good is told at once, until something is committed")
    func refused() {
        var status = Self.status(at: .seconds(2))
        health.see([status], now: .seconds(2))
        #expect(parts(.ready, .seconds(2)).isEmpty)
        status.refusal = LogError(.notAuthorised, name: "TOPIC_AUTHORIZATION_FAILED", "not allowed")
        health.see([status], now: .seconds(3))
        let problems = health.problems(.ready, now: .seconds(3))
        #expect(problems.map(\.part) == ["commits"] && reason(problems).contains("is refused by brokers: "))
        #expect(reason(problems).contains("not allowed"))
        status.refusal = nil
        health.see([status], now: .seconds(4))
        #expect(parts(.ready, .seconds(4)).isEmpty)
    }

    @Test("records that were set aside are told for ten minutes, with their number since they began")
    func setAside() {
        var count = SetAsideCount()
        func told(_ second: Int) -> String? { count.notice("of t", now: .seconds(second))?.reason }
        #expect(told(1) == nil)
        count.note(3, now: .seconds(10))
        count.note(5, now: .seconds(20))
        count.note(5, now: .seconds(25))
        #expect(told(30)?.hasPrefix("5 records of t, the last 10 s ago: ") == true, "\(told(30) ?? "")")
        #expect(told(619) != nil && told(620) == nil)
        count.note(6, now: .seconds(800))
        #expect(told(801)?.hasPrefix("1 record of t, the last 1.0 s ago: ") == true, "\(told(801) ?? "")")
    }

    @Test("the answer is JSON: a word, and each part with its reason")
    func answer() {
        #expect([HealthProblem]().json(.startup, zoneData: "2026a") == #"{"status":"started","zoneData":"2026a"}"#)
        #expect(
            [HealthProblem("lag", "a \"b\"")].json(.ready, zoneData: "2026a")
                == #"{"status":"unhealthy","zoneData":"2026a","problems":[{"part":"lag","reason":"a \"b\""}]}"#)
        #expect(
            [HealthProblem]().json(.ready, zoneData: "2026a", notices: [HealthProblem("dead-letters", "two")])
                == #"{"status":"ready","zoneData":"2026a","notices":[{"part":"dead-letters","reason":"two"}]}"#)
    }
}
