import Arguments
import Diagnosis
import Foundation
import Messages
import RecordLog
import Settings

/// Shows what a user of the cluster needs to be allowed, and allows it if it is told to.
struct PermissionsCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "permissions",
        abstract: "Shows which permissions a user needs for a verb, and grants those that are missing.",
        discussion: """
            Writes a line for each permission: there, missing, or denied by a rule that stands above each grant. Where \
            one is missing or denied, the exit status is 70. With '--apply' it then makes a rule (ACL) for each one \
            that is missing; it asks before that on a terminal, and needs '--yes' elsewhere. Whoever runs it needs \
            Describe and Alter on the cluster, which the user whom it is for does not. Brokers do not tell who their \
            super users are: these need no rule, and what they may do is shown as missing. A rule about a \
            transactional id needs librdkafka 2.6: with an older one the command that makes it is shown, and the exit \
            status is 70.
            """,
        examples: [
            CommandExample("tideline permissions --principal User:pipeline", "What 'process' needs, and lacks."),
            CommandExample(
                "tideline permissions --principal User:pipeline --apply --yes", "Grants what is missing of it."),
            CommandExample(
                "tideline permissions --principal User:ana --only 'Read on topic timelines' --apply",
                "That one alone."),
            CommandExample(
                "tideline permissions --principal User:ana --verb explain --verb 'dead-letters replay'",
                "The same for other verbs."),
        ])

    @Option(help: ArgumentHelp("The user, as brokers call them.", valueName: "type:name")) var principal: String
    @Option(
        help: ArgumentHelp(
            "What the user runs; may be repeated; 'all' stands for each that can be named. Without it: process.",
            valueName: "verb"))
    var verb: [String] = []
    @Option(
        help: ArgumentHelp(
            "Only this permission, as 'doctor' names it; may be repeated. Of all verbs, where none is named.",
            valueName: "permission"))
    var only: [String] = []
    @Flag(help: "Grant what is missing, after showing it.") var apply = false
    @Flag(help: "Do not ask before it is granted.") var yes = false
    @Flag(help: "Write JSON lines.") var json = false
    @OptionGroup var kafka: KafkaOptions

    func validate() throws(ValidationError) {
        let parts = principal.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
            throw ValidationError("'--principal' must be TYPE:NAME, such as User:ana, not '\(principal)'.")
        }
        let known = NeededPermissions.verbs
        for name in verb where name != Self.all && !known.contains(name) {
            let names = known.map { "'\($0)'" }.joined(separator: ", ")
            throw ValidationError("'--verb' must be '\(Self.all)' or one of \(names), not '\(name)'.")
        }
    }

    private static let all = "all"
    private static let patience = Duration.seconds(30)

    private var verbs: Set<String>? {
        if verb.contains(Self.all) { return nil }
        if verb.isEmpty { return only.isEmpty ? [PermissionFacts.pipeline] : nil }
        return Set(verb)
    }

    func execute() throws(CommandFailure) {
        let environment = try Environment(kafka)
        let admin = try environment.connect()
        defer { admin.close() }
        let needs = try needs(environment, admin)
        let rules = try environment.ask("cannot look at the access rules") { (timeout) throws(LogError) in
            try admin.accessRules(timeout: timeout)
        }
        if rules.isEmpty {
            writeError(
                "warning: no access rule is to be seen: there is none, or this client may not look (Describe on the"
                    + " cluster); what is there already counts as missing then")
        }
        let plan = GrantPlan(needs, principal: principal, rules: rules)
        for step in plan.steps { show(step.permission, step.verbs, step.standing.rawValue) }
        if apply && !plan.missing.isEmpty { try grant(plan, environment, admin) }
        if !plan.denied.isEmpty {
            throw CommandFailure(
                .software,
                "\(Self.counted(plan.denied)) denied to \(principal) by a rule, which stands above each grant: remove"
                    + " that rule")
        }
        if !apply && !plan.missing.isEmpty {
            throw CommandFailure(
                .software, "\(Self.counted(plan.missing)) missing for \(principal); '--apply' grants what is missing")
        }
    }

    private static func counted(_ permissions: [Permission]) -> String {
        "\(permissions.count.counted("permission")) \(permissions.count == 1 ? "is" : "are")"
    }

    /// - Throws: with status 64 if `--only` names what no verb needs.
    private func needs(
        _ environment: Environment, _ admin: any Admin
    ) throws(CommandFailure) -> [NeededPermissions.Need] {
        if only.isEmpty {
            let absent = try absentTopics(environment, admin)
            return environment.neededPermissions(of: verbs, isAhead: true) { absent.contains($0) }.all
        }
        let all = environment.neededPermissions(of: verbs, isAhead: true) { _ in true }.all
        for name in only where !all.contains(where: { $0.permission.name == name }) {
            throw CommandFailure(.usage, "--only: no verb that is meant needs '\(name)'")
        }
        return all.filter { only.contains($0.permission.name) }
    }

    /// The topics that are known not to be there: only those does a verb make. One that may not be looked at counts as
    /// there, after a warning, so that nobody is granted more than is needed.
    private func absentTopics(
        _ environment: Environment, _ admin: any Admin
    ) throws(CommandFailure) -> Set<NamedTopic> {
        var absent: Set<NamedTopic> = []
        for topic in NamedTopic.allCases {
            let name = environment.name(of: topic)
            let isThere = try environment.ask("cannot look at topic \(name)") { (timeout) throws(LogError) -> Bool? in
                do throws(LogError) {
                    return try admin.describeTopics([name], timeout: timeout)[name] != nil
                } catch {
                    guard error.code == .notAuthorised else { throw error }
                    return nil
                }
            }
            if isThere == nil {
                writeError("warning: topic \(name) may not be looked at: it counts as one that is there")
            }
            if isThere == false { absent.insert(topic) }
        }
        return absent
    }

    private func grant(_ plan: GrantPlan, _ environment: Environment, _ admin: any Admin) throws(CommandFailure) {
        for resource in plan.unruled {
            writeError(
                "warning: \(resource): there is no rule yet. Where allow.everyone.if.no.acl.found is set, everybody may"
                    + " use it; with the first rule nobody but \(principal) may, and \(principal) may do only what"
                    + " was granted")
        }
        let count = plan.missing.count.counted("permission")
        try Consent.require(for: "Grant \(count) to \(principal)?", isGiven: yes)
        let outcomes: [LogError?]
        do throws(LogError) {
            outcomes = try admin.grant(plan.missing, to: principal, timeout: Self.patience)
        } catch {
            throw CommandFailure(.software, "cannot grant \(count): \(error)")
        }
        var refused = 0
        for (permission, failure) in zip(plan.missing, outcomes) {
            let verbs = plan.steps.first { $0.permission == permission }?.verbs ?? []
            guard let failure else {
                show(permission, verbs, "granted")
                continue
            }
            refused += 1
            let line = permission.grant(at: environment.settings[Keys.bootstrap], to: principal)
            show(
                permission, verbs, "refused",
                reason: failure.code == .unsupported ? "\(failure); \(line)" : "\(failure)")
        }
        if refused > 0 {
            throw CommandFailure(.software, "\(refused.counted("permission")) of \(count) could not be granted")
        }
    }

    /// Writes what is, or became, of a permission: a line for people, a JSON object for machines.
    private func show(_ permission: Permission, _ verbs: [String], _ outcome: String, reason: String? = nil) {
        if !json {
            print("\(permission.name): \(outcome)\(reason.map { ": \($0)" } ?? "")")
            return
        }
        let line = JSONWriter.object { json in
            json.string("permission", permission.name)
            json.string("principal", principal)
            json.string("outcome", outcome)
            json.string("reason", reason)
            json.strings("verbs", verbs)
        }
        print(line)
    }
}
