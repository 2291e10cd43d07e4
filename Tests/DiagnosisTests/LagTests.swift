import Diagnosis
import RecordLog
import Testing

@Suite("How far an application has read")
struct LagTests {
    private static let input = TopicPartition("in", 1)

    private static func member(_ name: String, tasks: Partition...) -> GroupMember {
        GroupMember(
            memberId: name, clientId: name, instance: nil, assigned: tasks.map { TopicPartition("x", $0) })
    }

    private static func facts(
        _ places: [LagFacts.Place], tasks: Int32 = 2, members: [GroupMember]?
    ) -> LagFacts {
        LagFacts(interval: .seconds(5), tasks: tasks, exchangeTopic: "x", members: members, places: places)
    }

    private static func command(_ words: String) -> String { "tideline \(words) --bootstrap b:1" }

    private static func bad(_ facts: LagFacts) -> [Finding] {
        facts.findings(command: command).filter { $0.level == .bad }
    }

    @Test("all is read, and every task has an owner: nothing is bad")
    func good() {
        let place = LagFacts.Place(Self.input, low: 0, end: 10, before: 10, after: 10)
        let facts = Self.facts([place], members: [Self.member("a", tasks: 0, 1)])
        #expect(facts.findings(command: Self.command).map(\.level) == [.good, .good])
    }

    @Test("a group without members is bad, and its lag is not taken for a task that is stuck")
    func nobody() {
        let place = LagFacts.Place(Self.input, low: 0, end: 10, before: 4, after: 4)
        let found = Self.facts([place], members: []).findings(command: Self.command)
        #expect(found.map(\.level) == [.bad, .notice])
        #expect(found[0].remedy == "tideline process --bootstrap b:1")
        #expect(found[1].text.hasPrefix("6 records not read yet"))
    }

    @Test("a task that has something to read and read nothing is stuck, and its owner is named")
    func stuck() {
        let places = [
            LagFacts.Place(Self.input, low: 0, end: 10, before: 4, after: 4),
            LagFacts.Place(TopicPartition("in", 0), low: 0, end: 10, before: 4, after: 6),
        ]
        let members = [Self.member("a", tasks: 0), Self.member("b", tasks: 1)]
        let bad = Self.bad(Self.facts(places, members: members))
        #expect(bad.map(\.subject) == ["task 1"])
        #expect(bad[0].text.contains("owned by b") && bad[0].text.contains("in[1] at 4, which ends at 10"))
    }

    @Test("a task that its process restores is waited for; where nobody was asked, the remedy says to look first")
    func restored() {
        let place = LagFacts.Place(Self.input, low: 0, end: 10, before: 4, after: 4)
        var facts = Self.facts([place], members: [Self.member("a", tasks: 0, 1)])
        let unasked = Self.bad(facts)
        #expect(unasked.map(\.subject) == ["task 1"])
        #expect(unasked[0].remedy.hasPrefix("If the status line of its process says that it restores, wait"))
        func told(_ reason: String) -> Set<Int32> {
            let problem = ProcessFacts.Problem(part: "restore", reason: reason)
            return ProcessFacts(address: "h:1", answer: .answered([problem], zoneData: nil)).restoredTasks
        }
        #expect(told("task 1 waits for stable offsets").isEmpty)
        #expect(told("task 1 is restored up to 5 of 9, which has stood still for 9 s").isEmpty)
        #expect(told("task 1 is restored, and prepared to run: 5 entries") == [1])
        facts.restored = told("task 1 is restored up to 5 of 9")
        #expect(Self.bad(facts).isEmpty)
        let found = facts.findings(command: Self.command).first { $0.subject == "task 1" }
        #expect(found?.level == .notice && found?.remedy.hasPrefix("Wait: ") == true)
        #expect(found?.text.hasPrefix("is restored, owned by a; what waits is in[1]") == true)
    }

    @Test("a task that reads one partition and leaves another waiting is not stuck")
    func busy() {
        let places = [
            LagFacts.Place(Self.input, low: 0, end: 10, before: 4, after: 4),
            LagFacts.Place(TopicPartition("other", 1), low: 0, end: 900, before: 4, after: 600),
        ]
        #expect(Self.bad(Self.facts(places, members: [Self.member("a", tasks: 0, 1)])).isEmpty)
    }

    @Test("a task without an owner is named")
    func unowned() {
        let bad = Self.bad(Self.facts([], tasks: 3, members: [Self.member("a", tasks: 1)]))
        #expect(bad.map(\.text) == ["nobody owns tasks 0, 2"])
    }

    @Test("records that retention removed before they were read do not count as lag")
    func removed() {
        #expect(LagFacts.Place(Self.input, low: 10, end: 10, before: nil, after: nil).behind == 0)
        #expect(LagFacts.Place(Self.input, low: 8, end: 10, before: 3, after: 3).behind == 2)
    }
}
