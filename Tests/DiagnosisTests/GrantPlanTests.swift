import Diagnosis
import RecordLog
import Testing

@Suite("What a grant would give")
struct GrantPlanTests {
    private static func plan(_ permissions: [Permission], _ rules: [AccessRule]) -> GrantPlan {
        GrantPlan(
            permissions.map { NeededPermissions.Need(permission: $0, verbs: ["process"]) }, principal: "User:ana",
            rules: rules)
    }

    private static func standing(_ permission: Permission, _ rules: AccessRule...) -> GrantPlan.Standing? {
        plan([permission], rules).steps.first?.standing
    }

    private static let read = Permission(.read, .topic("vehicle.telemetry"))

    @Test(
        "a rule for the user, for everybody, for all operations or for a beginning of the name allows it",
        arguments: [
            AccessRule(principal: "User:ana", operations: .only(.read), resource: .topic, name: "vehicle.telemetry"),
            AccessRule(principal: "User:*", operations: .only(.read), resource: .topic, name: "vehicle.telemetry"),
            AccessRule(principal: "User:ana", operations: .all, resource: .topic, name: "vehicle.telemetry"),
            AccessRule(principal: "User:ana", operations: .only(.read), resource: .topic, name: "*"),
            AccessRule(
                principal: "User:ana", operations: .only(.read), resource: .topic, name: "vehicle.", isPrefix: true),
        ])
    func there(rule: AccessRule) {
        #expect(Self.standing(Self.read, rule) == .there)
    }

    @Test(
        "a rule for another user, operation, resource or address alone does not",
        arguments: [
            AccessRule(principal: "User:bob", operations: .only(.read), resource: .topic, name: "vehicle.telemetry"),
            AccessRule(principal: "User:ana", operations: .only(.write), resource: .topic, name: "vehicle.telemetry"),
            AccessRule(principal: "User:ana", operations: .other, resource: .topic, name: "vehicle.telemetry"),
            AccessRule(principal: "User:ana", operations: .all, resource: .group, name: "vehicle.telemetry"),
            AccessRule(principal: "User:ana", operations: .all, resource: .topic, name: "vehicle."),
            AccessRule(
                principal: "User:ana", host: "10.0.0.1", operations: .all, resource: .topic, name: "vehicle.telemetry"),
        ])
    func missing(rule: AccessRule) {
        #expect(Self.standing(Self.read, rule) == .missing)
    }

    @Test("a rule that forbids stands above each that allows, from whichever address it counts")
    func denied() {
        let allowed = AccessRule(principal: "User:ana", operations: .all, resource: .topic, name: "*")
        let denied = AccessRule(
            principal: "User:*", host: "10.0.0.1", operations: .only(.read), resource: .topic, name: "vehicle.",
            isPrefix: true, isDenial: true)
        #expect(Self.standing(Self.read, allowed, denied) == .denied)
        let write = Permission(.write, .topic("vehicle.telemetry"))
        #expect(Self.standing(write, allowed, denied) == .there)
    }

    @Test("who may read or write may look, and who may change settings may see them")
    func included() {
        let look = Permission(.describe, .topic("t"))
        let read = AccessRule(principal: "User:ana", operations: .only(.read), resource: .topic, name: "t")
        #expect(Self.standing(look, read) == .there)
        let see = Permission(.describeConfigs, .topic("t"))
        #expect(Self.standing(see, read) == .missing)
        let change = AccessRule(principal: "User:ana", operations: .only(.alterConfigs), resource: .topic, name: "t")
        #expect(Self.standing(see, change) == .there)
    }

    @Test("all transactional ids with a beginning need a rule for that beginning, not one for a single id")
    func transactionalIds() {
        let ids = Permission(.write, .transactionalIds(prefix: "app-"))
        func rule(_ name: String, isPrefix: Bool) -> AccessRule {
            AccessRule(
                principal: "User:ana", operations: .only(.write), resource: .other, name: name, isPrefix: isPrefix)
        }
        #expect(Self.standing(ids, rule("app-", isPrefix: true)) == .there)
        #expect(Self.standing(ids, rule("app", isPrefix: true)) == .there)
        #expect(Self.standing(ids, rule("*", isPrefix: false)) == .there)
        #expect(Self.standing(ids, rule("app-", isPrefix: false)) == .missing)
        #expect(Self.standing(ids, rule("app-1", isPrefix: true)) == .missing)
    }

    @Test("a rule for everything of a token or a user is none about transactional ids; one that is known as theirs is")
    func tokens() {
        let ids = [
            Permission(.write, .transactionalIds(prefix: "app-")), Permission(.write, .transactionalId("app-reset")),
        ]
        func rule(_ resource: AccessRule.Resource, isDenial: Bool = false) -> AccessRule {
            AccessRule(principal: "User:ana", operations: .all, resource: resource, name: "*", isDenial: isDenial)
        }
        for id in ids {
            #expect(Self.standing(id, rule(.other)) == .missing)
            #expect(Self.standing(id, rule(.other, isDenial: true)) == .missing)
            #expect(Self.standing(id, rule(.transactionalId)) == .there)
            #expect(Self.standing(id, rule(.transactionalId, isDenial: true)) == .denied)
            #expect(Self.standing(id, rule(.cluster)) == .missing)
        }
    }

    @Test("who may create in the cluster may create each topic, whatever rules say of the topic")
    func cluster() {
        let create = Permission(.create, .topic("t"))
        func rule(_ resource: AccessRule.Resource, _ name: String, isDenial: Bool = false) -> AccessRule {
            AccessRule(
                principal: "User:ana", operations: .only(.create), resource: resource, name: name, isDenial: isDenial)
        }
        let all = rule(.cluster, "kafka-cluster")
        let none = rule(.cluster, "kafka-cluster", isDenial: true)
        #expect(Self.standing(create, all) == .there)
        #expect(Self.standing(create, all, rule(.topic, "t", isDenial: true)) == .there)
        #expect(Self.standing(create, all, none) == .missing)
        #expect(Self.standing(create, none, rule(.topic, "t")) == .there)
        #expect(Self.standing(Permission(.read, .topic("t")), all) == .missing)
    }

    @Test("what is granted is what is missing; resources without any rule are named once")
    func plan() {
        let (group, write) = (Permission(.read, .group("app")), Permission(.write, .topic("t")))
        let plan = Self.plan(
            [Self.read, Permission(.describeConfigs, .topic("vehicle.telemetry")), group, write],
            [
                AccessRule(principal: "User:bob", operations: .all, resource: .topic, name: "t"),
                AccessRule(principal: "User:ana", operations: .all, resource: .group, name: "app"),
            ])
        #expect(plan.steps.map(\.standing) == [.missing, .missing, .there, .missing])
        #expect(plan.missing.map(\.name).last == "Write on topic t")
        #expect(plan.unruled == ["topic vehicle.telemetry"])
        #expect(plan.denied.isEmpty)
    }
}
