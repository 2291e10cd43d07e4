import Diagnosis
import RecordLog
import Testing

@Suite("What follows from facts about brokers, topics, permissions, transactions, state and clocks")
struct FindingTests {
    private static func topic(_ settings: [String: String], leaderless: Int32 = 0) -> TopicFacts.Found {
        .topic(
            TopicDescription(name: "t", partitions: 4, replication: 1, settings: settings, leaderless: leaderless))
    }

    private static func facts(_ found: TopicFacts.Found, role: TopicFacts.Role = .contract) -> TopicFacts {
        TopicFacts(
            name: "t", role: role,
            wanted: [.init("cleanup.policy", "compact"), .init("max.message.bytes", "100")],
            atLeast: ["max.message.bytes": 100], found: found)
    }

    @Test("a setting that differs is bad; a size that is larger than it must be is not")
    func differences() {
        let facts = Self.facts(Self.topic(["cleanup.policy": "delete", "max.message.bytes": "200"]))
        #expect(facts.differences.map(\.text) == ["cleanup.policy is delete, not compact"])
        let findings = facts.findings { "tideline \($0)" }
        #expect(findings.map(\.level) == [.bad] && findings[0].remedy == "tideline topics --apply")
        let small = Self.facts(Self.topic(["cleanup.policy": "compact", "max.message.bytes": "99"]))
        #expect(small.differences.map(\.key) == ["max.message.bytes"])
        let unknown = Self.facts(Self.topic([:]))
        #expect(unknown.differences.isEmpty, "what a broker does not tell is no difference")
    }

    @Test("a topic that is missing is bad, but for an internal one, which the first process makes")
    func missing() {
        var facts = Self.facts(.nothing)
        let unknown = "c topics; if it was there before, add --partitions and --replication as it had"
        #expect(facts.findings { "c \($0)" }.map(\.remedy) == [unknown])
        let other = TopicDescription(name: "u", partitions: 12, replication: 3, settings: [:])
        facts.former = TopicFacts.Shape(of: other, isOwn: false)
        let sister = "With the numbers of u, unless it had others: c topics --partitions 12 --replication 3"
        #expect(facts.findings { "c \($0)" }.map(\.remedy) == [sister])
        #expect(Self.facts(.nothing, role: .internal(other: nil)).findings { $0 }.map(\.level) == [.notice])
        #expect(Self.facts(Self.topic([:], leaderless: 2)).findings { $0 }.map(\.level) == [.bad])
        let behind = TopicDescription(name: "t", partitions: 4, replication: 3, settings: [:], underReplicated: 2)
        #expect(Self.facts(.topic(behind)).findings { $0 }.map(\.level) == [.notice])
    }

    @Test("a topic that is made on demand may be missing; where it is, another setting is bad")
    func onDemand() {
        func findings(_ found: TopicFacts.Found) -> [Finding] {
            Self.facts(found, role: .onDemand).findings { "tideline \($0)" }
        }
        #expect(findings(.nothing).isEmpty)
        #expect(findings(.failed("no permission")).map(\.level) == [.notice])
        #expect(findings(Self.topic(["cleanup.policy": "compact"])).map(\.level) == [.good])
        let deleted = findings(Self.topic(["cleanup.policy": "delete"]))
        #expect(deleted.map(\.level) == [.bad] && deleted[0].remedy == "tideline topics --apply")
    }

    @Test("each permission that is missing is named with the command that grants it")
    func permissions() {
        let facts = [
            PermissionFacts(Permission(.read, .topic("t")), .allowed),
            PermissionFacts(Permission(.write, .transactionalIds(prefix: "app-")), .refused),
            PermissionFacts(Permission(.read, .group("app")), .unknown("no answer")),
        ]
        let findings = facts.findings(isDetailed: false, bootstrap: "b:1") { "tideline \($0)" }
        #expect(findings.map(\.level) == [.bad, .notice, .good])
        #expect(
            findings[0].remedy
                == "tideline permissions --apply --principal User:NAME"
                + " --only 'Write on transactional ids that begin with app-'; where librdkafka is older than 2.6, "
                + "kafka-acls --bootstrap-server b:1 --add --allow-principal User:NAME --operation Write"
                + " --transactional-id app- --resource-pattern-type prefixed")
        #expect(findings[2].text == "1 of 3 are there")
    }

    @Test("a transaction is bad once it is older than one may be, and the command that ends it names its place")
    func transactions() {
        let place = TopicPartition("t", 3)
        func findings(_ age: ElapsedTime?) -> [Finding] {
            [TransactionFacts(place, stableEnd: 7, end: 20, age: age)]
                .findings(timeout: .seconds(10), looked: 5, bootstrap: "b:1") { "tideline \($0)" }
        }
        #expect(findings(.seconds(10)).map(\.level) == [.good])
        #expect(findings(nil).map(\.level) == [.notice])
        let old = findings(.seconds(11))
        #expect(old.map(\.level) == [.bad] && old[0].subject == "t[3]")
        #expect(old[0].remedy.contains("abort --topic t --partition 3 --start-offset 7"))
        #expect(old[0].text.contains("13 offsets wait behind it"))
    }

    @Test("who of the application may have left a transaction open is named with what ends it, by where they write")
    func transactionOwners() {
        let owners = [
            TransactionOwner("app-a.1", "gone", writesTo: ["t", "u"], ending: "'process' ends it."),
            TransactionOwner("app-b.1", "gone", writesTo: ["t"], ending: "'process' ends it."),
            TransactionOwner("app-c.1", "a member", writesTo: ["t"], ending: ""),
            TransactionOwner("app.operations", "replay", writesTo: ["v"], ending: "'replay' ends it."),
        ]
        func finding(_ topic: String) -> Finding? {
            [TransactionFacts(TopicPartition(topic, 3), stableEnd: 7, end: 20, age: .seconds(11))]
                .findings(timeout: .seconds(10), looked: 5, bootstrap: "b:1", owners: owners) { "tideline \($0)" }
                .first
        }
        let possible = "; of this application it may be that of app-a.1 (gone), app-b.1 (gone), app-c.1 (a member)"
        #expect(finding("t")?.text.hasSuffix(possible) == true)
        #expect(finding("t")?.remedy.hasPrefix("'process' ends it. If it is a program's") == true)
        #expect(finding("v")?.text.hasSuffix("app.operations (replay)") == true)
        #expect(finding("v")?.remedy.hasPrefix("'replay' ends it. If it is") == true)
        #expect(finding("w")?.text.hasSuffix("wait behind it") == true)
        #expect(finding("w")?.remedy.hasPrefix("If it is a program's") == true)
    }

    @Test(
        "a clock is bad if it is more than a second off whatever the way took",
        arguments: [0, 900, 2_500, -900, -2_500] as [Int64])
    func clock(shift: Int64) {
        let sent = Instant(milliseconds: 1_000_000)
        let facts = ClockFacts.probed(
            sent: sent, broker: sent + ElapsedTime(milliseconds: shift + 50),
            answered: sent + ElapsedTime(milliseconds: 100))
        #expect(facts.finding.level == (shift.magnitude > 1_100 ? .bad : .good))
    }

    @Test("where the clock was not compared, it is said by what, what that does and what it needs")
    func uncompared() {
        let finding = ClockFacts.unasked(command: "tideline doctor --probe-clock", topic: "app.doctor").finding
        #expect(finding.level == .notice && finding.remedy.hasPrefix("tideline doctor --probe-clock compares it"))
        for part in ["the topic app.doctor", "removes it", "Create, Write, Read and Delete"] {
            #expect(finding.remedy.contains(part), "\(part)")
        }
    }

    @Test("state that may not fit into this machine's memory is said")
    func state() {
        func level(_ records: Int64, memory: Int?) -> Finding.Level {
            StateFacts(topic: "s", tasks: 4, records: records, recordBytes: 1000, memoryBytes: memory).finding.level
        }
        #expect(level(1_000, memory: 10_000_000) == .good)
        #expect(level(6_000, memory: 10_000_000) == .notice)
        #expect(level(6_000, memory: nil) == .good)
    }

    @Test("a broker that does not answer is bad, and where its address comes from decides what is to be done")
    func brokers() {
        func remedy(_ origin: BrokerFacts.Origin) -> String {
            BrokerFacts(address: "a:1", origin: origin, answer: .failed("refused")).finding.remedy
        }
        #expect(remedy(.bootstrap).contains("--bootstrap"))
        #expect(remedy(.cluster(id: 2)).contains("advertised.listeners"))
        let reached = BrokerFacts(address: "a:1", origin: .bootstrap, answer: .reached(versions: ["Fetch": 18]))
        #expect(reached.finding.text == "answers; it supports 1 request, the newest Fetch 18")
        #expect(reached.isReached)
        #expect(!BrokerFacts(address: "a:1", origin: .bootstrap, answer: .failed("refused")).isReached)
    }
}
