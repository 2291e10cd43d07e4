import Diagnosis
import RecordLog
import Testing

@Suite("The permissions that each verb needs")
struct NeededPermissionsTests {
    private static func needs(absent: Set<NamedTopic> = [], sinks: [String] = []) -> [NeededPermissions.Need] {
        NeededPermissions(
            application: "app", sendingSinks: sinks, name: { "p.\($0)" }, isAbsent: { absent.contains($0) }
        ).all
    }

    private static func verbs(_ permission: Permission, _ needs: [NeededPermissions.Need]? = nil) -> [String] {
        (needs ?? self.needs()).first { $0.permission == permission }?.verbs ?? []
    }

    /// They tell how they are.
    private static let telling = [
        "sink", "sink --to https:", "sink --reloads apns", "sink --reloads https:", "sink --reloads sqlite:",
    ]

    @Test("each permission is asked for once, those of process first")
    func once() {
        let needs = Self.needs()
        #expect(Set(needs.map(\.permission)).count == needs.count)
        let ofProcess = needs.prefix { $0.verbs.contains("process") }
        #expect(ofProcess.count == needs.count { $0.verbs.contains("process") })
        #expect(needs.allSatisfy { !$0.verbs.isEmpty })
    }

    @Test("process needs what it needed before other verbs were looked at")
    func process() {
        let own = Self.needs().filter { $0.verbs.contains("process") }.map(\.permission.name)
        #expect(own.count == 27, "\(own)")
        for name in [
            "Read on topic p.telemetry", "Write on topic p.deadLetters", "Read on topic p.timelines",
            "Delete on topic p.exchange", "Write on topic p.state", "Describe on topic p.reset", "Read on group app",
            "Write on transactional ids that begin with app-",
        ] {
            #expect(own.contains(name), "\(name)")
        }
    }

    @Test("a permission names all verbs that need it")
    func shared() {
        let writers = Self.verbs(Permission(.write, .topic("p.exchange")))
        #expect(writers == ["process", "serve", "reload", "reset", "repartition"])
        #expect(Self.verbs(Permission(.delete, .topic("p.state"))) == ["reset", "repartition"])
        #expect(Self.verbs(Permission(.write, .topic("p.telemetry"))) == ["serve", "produce", "dead-letters replay"])
        #expect(Self.verbs(Permission(.write, .topic("p.sinks"))) == Self.telling + ["sink --status --forget"])
        // A reset that could not read it would run over live sinks.
        let readers = Self.telling + ["sink --status", "sink --status --forget", "reset", "doctor"]
        #expect(Self.verbs(Permission(.read, .topic("p.sinks"))) == readers)
        let ledger = Self.verbs(Permission(.write, .topic("p.pushes")))
        #expect(ledger == ["sink --to https:", "sink --reloads apns", "sink --reloads https:", "reset"])
        let reloads = Self.verbs(Permission(.read, .topic("p.reloads")))
        let ofReloads = ["sink --reloads apns", "sink --reloads https:", "sink --reloads sqlite:"]
        #expect(reloads.filter { $0.hasPrefix("sink") } == ofReloads)
        let configurations = Self.verbs(Permission(.read, .topic("p.configurations")))
        #expect(configurations.filter { $0.hasPrefix("sink") } == ["sink --reloads apns"])
        #expect(Self.verbs(Permission(.describe, .topic("p.timelines"))).contains("sink --status"))
        #expect(Self.verbs(Permission(.describeConfigs, .topic("p.sinks"))).contains("reset"))
        #expect(Self.verbs(Permission(.describe, .group("app"))) == ["serve", "doctor"])
        let marks = Permission(.write, .transactionalId("app.operations"))
        #expect(Self.verbs(marks) == ["replay", "drop", "forget-mark"].map { "dead-letters \($0)" })
        #expect(marks.name == "Write on transactional id app.operations")
        #expect(marks.grant(at: "b:1").hasSuffix("--operation Write --transactional-id app.operations"))
        #expect(Self.verbs(Permission(.write, .transactionalId("app-reset"))) == ["reset", "repartition"])
    }

    @Test("verbs that only look have permissions of their own, and need none to write")
    func looking() {
        func topics(_ verb: String, _ operation: Permission.Operation) -> Set<String> {
            let needs = Self.needs().filter { $0.verbs.contains(verb) }.map(\.permission)
            return Set(needs.filter { $0.operation == operation }.map(\.resource.name))
        }
        let read: [(verb: String, topics: [NamedTopic])] = [
            ("list", [.telemetry, .calendarEvents, .configurations, .timelines, .reloads]),
            ("show", [.configurations, .timelines, .reloads]),
            ("dead-letters list", [.deadLetters, .operations]), ("dead-letters show", [.deadLetters, .operations]),
            ("transactions", [.transactionState]),
            (
                "doctor",
                [.timelines, .deadLetters, .state, .reset, .pushes, .sinks, .operations, .transactionState]
            ),
        ]
        for (verb, wanted) in read {
            let names = Set(wanted.map { "topic p.\($0)" })
            #expect(topics(verb, .read) == names, "\(verb)")
            #expect(topics(verb, .describeConfigs).isSuperset(of: names), "\(verb)")
            for operation in [Permission.Operation.write, .create, .delete, .alterConfigs] {
                #expect(topics(verb, operation).isEmpty, "\(verb): \(operation)")
            }
        }
        let absent = Self.needs(absent: [.transactionState])
        #expect(Self.verbs(Permission(.read, .topic("p.transactionState")), absent).isEmpty)
    }

    @Test("whoever adds partitions needs Alter on the inputs, and on no other topic")
    func partitions() {
        for topic in NamedTopic.allCases {
            let isInput = [.telemetry, .calendarEvents, .configurations, .positions].contains(topic)
            let verbs = isInput ? ["topics --partitions --apply"] : []
            #expect(Self.verbs(Permission(.alter, .topic("p.\(topic)"))) == verbs, "\(topic)")
        }
    }

    @Test("whoever sets settings that differ needs AlterConfigs on every topic that has them")
    func settings() {
        for topic in NamedTopic.allCases {
            let verbs = [.reset, .transactionState].contains(topic) ? [] : ["topics --apply"]
            #expect(Self.verbs(Permission(.alterConfigs, .topic("p.\(topic)"))) == verbs, "\(topic)")
        }
        let absent = Self.needs(absent: [.sinks])
        #expect(Self.verbs(Permission(.alterConfigs, .topic("p.sinks")), absent).isEmpty)
    }

    @Test("of a topic that is not there, whoever makes it needs Create, and nobody can ask for more")
    func absent() {
        let needs = Self.needs(absent: [.exchange, .sinks, .operations, .reset, .telemetry])
        #expect(Self.verbs(Permission(.create, .topic("p.exchange")), needs) == ["process", "reset", "repartition"])
        #expect(Self.verbs(Permission(.create, .topic("p.sinks")), needs) == Self.telling)
        #expect(Self.verbs(Permission(.create, .topic("p.telemetry")), needs) == ["topics"])
        #expect(Self.verbs(Permission(.create, .topic("p.reset")), needs) == ["reset", "repartition"])
        for topic in ["p.exchange", "p.sinks", "p.operations", "p.reset", "p.telemetry"] {
            for operation in [Permission.Operation.read, .write, .delete, .describeConfigs] {
                #expect(Self.verbs(Permission(operation, .topic(topic)), needs).isEmpty, "\(operation) on \(topic)")
            }
        }
        #expect(Self.verbs(Permission(.create, .topic("p.sinks"))).isEmpty, "it is there")
    }

    @Test("sinks that the settings name are asked for by their ids, else all that one may have")
    func sinks() {
        let verbs = ["sink --to https:", "sink --reloads apns", "sink --reloads https:", "reset"]
        #expect(Self.verbs(Permission(.write, .transactionalIds(prefix: "app.sink."))) == verbs)
        let named = Self.needs(sinks: ["http-a", "http-b"])
        #expect(Self.verbs(Permission(.write, .transactionalId("app.sink.http-b")), named) == verbs)
        #expect(Self.verbs(Permission(.write, .transactionalIds(prefix: "app.sink.")), named).isEmpty)
    }

    private static let lacking = [
        PermissionFacts(Permission(.write, .topic("t")), .refused, neededBy: ["process", "serve"]),
        PermissionFacts(Permission(.read, .topic("t")), .refused, neededBy: ["explain"]),
        PermissionFacts(Permission(.create, .topic("u")), .refused, neededBy: ["a", "b", "c"]),
    ]

    @Test("what process lacks is bad; what others lack is good to know, and names them")
    func findings() {
        let findings = Self.lacking.findings(isDetailed: true, bootstrap: "b:1") { "tideline \($0)" }
        #expect(findings.map(\.level) == [.bad, .notice, .notice])
        #expect(
            findings.map(\.text) == [
                "is missing", "is missing; 'explain' needs it", "is missing; 'a', 'b' and 'c' need it",
            ])
        let grant = "tideline permissions --apply --principal User:NAME --only"
        let names = ["Write on topic t", "Read on topic t", "Create on topic u"]
        #expect(findings.map(\.remedy) == names.map { "\(grant) '\($0)'" })
    }

    @Test("for people, all that other verbs lack is one line, which counts and names them")
    func compact() {
        let facts =
            Self.lacking + [
                PermissionFacts(Permission(.read, .topic("v")), .unknown("no answer"), neededBy: ["explain", "d"]),
                PermissionFacts(Permission(.read, .topic("w")), .allowed, neededBy: ["serve"]),
            ]
        let findings = facts.findings(isDetailed: false, bootstrap: "b:1") { "tideline \($0)" }
        #expect(findings.map(\.level) == [.bad, .notice, .good])
        #expect(
            findings[1].text
                == "2 are missing, 1 is not to be told; 'explain', 'a', 'b', 'c' and 'd' need them")
        #expect(findings[1].remedy.contains("permissions --apply") && findings[1].remedy.contains("--json"))
        #expect(findings[2].text == "1 of 5 are there")
    }

    @Test("what a verb will need is told before its topics are there, and of the verbs that are meant alone")
    func ahead() {
        let needs = NeededPermissions(
            application: "app", sendingSinks: [], of: ["process"], isAhead: true, name: { "p.\($0)" },
            isAbsent: { _ in true }
        ).all
        #expect(needs.allSatisfy { $0.verbs == ["process"] })
        for permission in [
            Permission(.create, .topic("p.exchange")), Permission(.delete, .topic("p.exchange")),
            Permission(.write, .topic("p.timelines")), Permission(.write, .transactionalIds(prefix: "app-")),
        ] {
            #expect(needs.contains { $0.permission == permission }, "\(permission.name)")
        }
        #expect(!needs.contains { $0.permission == Permission(.create, .topic("p.timelines")) })
        let there = NeededPermissions(
            application: "app", sendingSinks: [], of: ["process"], isAhead: true, name: { "p.\($0)" },
            isAbsent: { $0 == .state }
        ).all.filter { $0.permission.operation == .create }
        #expect(there.map(\.permission.name) == ["Create on topic p.state"])
        #expect(NeededPermissions.verbs.first == "process" && NeededPermissions.verbs.contains("explain"))
    }
}
