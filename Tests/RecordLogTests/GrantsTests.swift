import RecordLog
import Testing

@Suite("The lines that grant what a client lacks")
struct GrantsTests {
    private static let grants = Grants(
        at: "b:1",
        byVerb: [
            Permission(.read, .topic("timelines")), Permission(.write, .transactionalIds(prefix: "app-")),
            Permission(.write, .transactionalId("app-reset")),
            Permission(.write, .transactionalIds(prefix: "app.sink.")),
        ], options: "--bootstrap b:1 --application app")

    private static func refused(_ permission: Permission, by grants: Grants?) -> LogError {
        LogError(.notAuthorised, name: "REFUSED", "no").needing(permission, by: grants)
    }

    @Test("what a verb needs is granted by the verb, with the permission and the application")
    func verb() {
        let error = Self.refused(Permission(.read, .topic("timelines")), by: Self.grants)
        let line =
            "tideline permissions --apply --principal User:NAME --only 'Read on topic timelines' --bootstrap b:1"
            + " --application app"
        #expect(error.message == "no; needs Read on topic timelines, granted with: \(line)")
    }

    @Test("what no verb needs is granted by Kafka's own tool, at the cluster that refused")
    func tools() {
        let line = "kafka-acls --bootstrap-server b:1 --add --allow-principal User:NAME --operation Read"
        let state = Self.refused(Permission(.read, .topic("__transaction_state")), by: Self.grants)
        #expect(state.message.hasSuffix("granted with: \(line) --topic __transaction_state"))
        // A verb reads it, and this client asked for less.
        let looking = Self.refused(Permission(.describe, .topic("timelines")), by: Self.grants)
        #expect(looking.message.hasSuffix("--operation Describe --topic timelines"))
        #expect(looking.needing(.read).message.contains("--only 'Read on topic timelines'"))
        let target = Self.refused(Permission(.read, .topic("timelines")), by: Grants(at: "other:2"))
        #expect(target.message.contains("kafka-acls --bootstrap-server other:2 --add"))
        let unknown = Self.refused(Permission(.read, .topic("timelines")), by: nil)
        #expect(unknown.message.contains("kafka-acls --bootstrap-server HOST:PORT --add"))
    }

    @Test("another permission takes the place of the one that was named, for a refusal alone")
    func instead() {
        let own = Permission(.write, .transactionalId("app-x.1"))
        let wide = Self.refused(Permission(.write, .transactionalIds(prefix: "app-")), by: Self.grants)
        #expect(wide.needing(own).permission != own)
        #expect(wide.needingInstead(own).permission == own)
        #expect(wide.needingInstead(own).message.hasSuffix("--operation Write --transactional-id app-x.1"))
        #expect(LogError(.timedOut, name: "T", "no").needingInstead(own).permission == nil)
    }

    @Test(
        "a transactional id is asked for as verbs ask for it, and a stranger's by itself",
        arguments: [
            ("app-reset", Permission.Resource.transactionalId("app-reset")),
            ("app-x.1", .transactionalIds(prefix: "app-")),
            ("app.sink.http-a", .transactionalIds(prefix: "app.sink.")),
            ("billing-7", .transactionalId("billing-7")),
        ] as [(String, Permission.Resource)])
    func ids(id: String, resource: Permission.Resource) {
        #expect(Self.grants.permission(forTransactionalId: id) == Permission(.write, resource))
    }

    @Test("what a shell would read otherwise is in quotes")
    func quotes() {
        let line = Permission(.write, .transactionalId("a'; rm b")).grant(at: "b:1", to: "User:CN=ana, O=c")
        #expect(line.contains("--allow-principal 'User:CN=ana, O=c' --operation Write"))
        #expect(line.hasSuffix("--transactional-id 'a'\\''; rm b'"))
        #expect("a'\u{301};b".shellQuoted == "'a'\\''\u{301};b'")
        #expect("plain.id_1-x".shellWord == "plain.id_1-x" && "".shellWord == "''" && "$(x)".shellWord == "'$(x)'")
    }
}
