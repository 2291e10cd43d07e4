import Diagnosis
import RecordLog
import Testing

@Suite("What is wrong with topics under a process that runs, and with both internal ones")
struct TopicFaultTests {
    private static func topic(
        _ name: String, partitions: Int32 = 2, _ settings: [String: String] = ["cleanup.policy": "compact"]
    ) -> TopicDescription {
        TopicDescription(name: name, partitions: partitions, replication: 1, settings: settings)
    }

    private static func facts(_ found: TopicFacts.Found, role: TopicFacts.Role = .contract) -> TopicFacts {
        TopicFacts(name: "a.state", role: role, wanted: [.init("cleanup.policy", "compact")], found: found)
    }

    private static let own = TopicFacts.Role.internal(other: topic("a.exchange"))

    @Test("what is gone hinders; which verb makes it anew differs")
    func gone() {
        let output = Self.facts(.nothing).faults(tasks: 2)
        #expect(output.map(\.kind) == [.missing] && output[0].hinders && output[0].text.contains("'tideline topics'"))
        var known = Self.facts(.nothing)
        known.former = TopicFacts.Shape(of: Self.topic("a.state", partitions: 12), isOwn: true)
        #expect(known.faults(tasks: 2)[0].text.contains("'tideline topics --partitions 12 --replication 1' makes"))
        let own = Self.facts(.nothing, role: Self.own).faults(tasks: 2)
        #expect(own[0].hinders && own[0].text.contains("'tideline reset --execute'"))
        #expect(Self.facts(.failed("no answer")).faults(tasks: 2).isEmpty, "what is not known is no fault")
    }

    @Test("other settings hinder in internal topics alone, as others may be somebody's wish")
    func settings() {
        let topic = TopicFacts.Found.topic(Self.topic("a.state", ["cleanup.policy": "delete"]))
        #expect(Self.facts(topic).faults(tasks: 2).map(\.hinders) == [false])
        let own = Self.facts(topic, role: Self.own).faults(tasks: 2)
        #expect(own.map(\.hinders) == [true])
        #expect(own[0].text.contains("cleanup.policy of a.state is delete, not compact"))
    }

    @Test("a process has no fault by topics that sinks and dead-letters make")
    func onDemand() {
        let topic = TopicFacts.Found.topic(Self.topic("a.sinks", partitions: 1, ["cleanup.policy": "delete"]))
        for found in [topic, .nothing] {
            #expect(Self.facts(found, role: .onDemand).faults(tasks: 2).isEmpty)
        }
    }

    @Test("another number of partitions hinders in internal topics; inputs may grow")
    func partitions() {
        let topic = TopicFacts.Found.topic(Self.topic("a.state", partitions: 4))
        #expect(Self.facts(topic).faults(tasks: 2).isEmpty)
        let own = Self.facts(topic, role: Self.own).faults(tasks: 2)
        #expect(own.map(\.kind) == [.partitions] && own[0].text.contains("'tideline repartition 4 --execute'"))
        #expect(Self.facts(topic, role: Self.own).faults(tasks: 4).isEmpty)
    }

    @Test("one internal topic without the other, and one with more partitions, are bad")
    func both() {
        let gone = Self.facts(.nothing, role: Self.own).findings { "tideline \($0)" }
        #expect(gone.map(\.level) == [.bad] && gone[0].text == "is gone, and a.exchange is there")
        #expect(gone[0].remedy == "Stop all processes, then tideline reset --execute")
        let more = TopicFacts.Found.topic(Self.topic("a.state", partitions: 4))
        let grown = Self.facts(more, role: Self.own).findings { "tideline \($0)" }
        #expect(grown.map(\.level) == [.bad] && grown[0].text == "4 partitions, but a.exchange has 2")
        #expect(grown[0].remedy == "Stop all processes, then tideline repartition 4 --execute")
        let fewer = Self.facts(.topic(Self.topic("a.state", partitions: 1)), role: Self.own).findings { $0 }
        #expect(fewer.map(\.level) == [.good], "it is told of the other")
    }

    @Test("dead letters that wait are bad, and what a process says of itself is told part by part")
    func others() {
        func finding(_ waiting: DeadLetterFacts.Waiting) -> Finding {
            DeadLetterFacts(topic: "t", waiting: waiting).finding { "tideline \($0)" }
        }
        #expect(finding(.counted(0, "")).level == .good && finding(.atLeast(0, "")).level == .notice)
        #expect(finding(.failed("no answer")).level == .notice)
        let waiting = finding(.counted(2, "2 missing"))
        #expect(waiting.level == .bad && waiting.text == "2 dead letters wait: 2 missing")
        #expect(waiting.remedy.hasSuffix(": tideline dead-letters list --counts"))
        #expect(finding(.counted(1, "1 missing")).text == "1 dead letter waits: 1 missing")
        let many = finding(.atLeast(70_000, "70,000 missing"))
        let text = "at least 70,000 dead letters wait: 70,000 missing of the newest 100,000 records"
        #expect(many.level == .bad && many.text == text && many.remedy == waiting.remedy)
        func answer(_ answer: ProcessFacts.Answer) -> [Finding] {
            ProcessFacts(address: "h:1", answer: answer).findings
        }
        #expect(answer(.answered([], zoneData: nil)).map(\.level) == [.good])
        #expect(answer(.failed("x")).map(\.level) == [.bad])
        let problems = [ProcessFacts.Problem(part: "target", reason: "no"), .init(part: "lag", reason: "far")]
        let unwell = answer(.answered(problems, zoneData: nil))
        #expect(unwell.map(\.text) == ["target: no", "lag: far"] && unwell.allSatisfy { !$0.remedy.isEmpty })
        // What a target has refused does not come by itself.
        #expect(unwell[0].remedy.contains("'dead-letters replay'") && !unwell[0].remedy.contains("nothing is lost"))
        let noticed = ProcessFacts(
            address: "h:1", answer: .answered([], zoneData: nil),
            notices: [.init(part: "dead-letters", reason: "3 records")]
        ).findings
        #expect(noticed.map(\.level) == [.good, .notice] && noticed[1].text == "dead-letters: 3 records")
    }

    @Test("of many dead letters the newest are read, of each partition its share; of few all are")
    func newestLetters() {
        let places = (0..<Partition(3)).map { TopicPartition("t", $0) }
        func newest(_ lows: [Int64], _ ends: [Int64]) -> [Partition: Offset] {
            func offsets(_ values: [Int64]) -> [TopicPartition: Offset] {
                Dictionary(uniqueKeysWithValues: zip(places, values.map { Offset($0) }))
            }
            return DeadLetterFacts.newest(from: offsets(lows), to: offsets(ends))
        }
        #expect(newest([0, 7, 5], [99_000, 1_007, 5]).isEmpty)
        #expect(newest([0, 7, 5], [300_000, 100_007, 5]) == [0: 225_000, 1: 75_007, 2: 5])
    }

    @Test("zone data that state was written with is told with its tasks where it is another, and only then")
    func zonesOfState() {
        func finding(_ versions: [Int32: String]) -> Finding? {
            ZoneFacts(topic: "a.state", versions: versions).finding(here: "2026a")
        }
        #expect(finding([:]) == nil)
        #expect(finding([0: "2026a", 7: "2026a"])?.level == .good)
        var versions = Dictionary(uniqueKeysWithValues: (Int32(0)..<6).map { ($0, "2025b") })
        (versions[6], versions[7]) = ("2026a", "2025c")
        let other = finding(versions)
        #expect(other?.level == .notice && other?.check == .zones && other?.subject == "a.state")
        let parts = "6 tasks (0, 1, 2, 3, 4, …) with version 2025b, for 1 task (7) with version 2025c"
        #expect(other?.text.contains(parts) == true, "\(String(describing: other))")
        #expect(other?.text.contains("this program has 2026a") == true && other?.remedy.isEmpty == false)
    }

    @Test("zone data of another version is a failure that says both, of the same version none")
    func zones() {
        func finding(_ zoneData: String?) -> Finding? {
            zoneFinding(.answered([], zoneData: zoneData))
        }
        func zoneFinding(_ answer: ProcessFacts.Answer) -> Finding? {
            ProcessFacts(address: "h:1", answer: answer).zoneFinding(here: "2026a") { "tideline \($0) --bootstrap b:1" }
        }
        #expect(finding("2026a")?.level == .good && finding(nil)?.level == .notice)
        let other = finding("2025b")
        #expect(other?.level == .bad)
        #expect(other?.remedy.hasSuffix("tideline reset --execute --bootstrap b:1") == true)
        #expect(other?.text.contains("2025b") == true && other?.text.contains("2026a") == true)
        #expect(zoneFinding(.failed("x")) == nil)
    }
}
