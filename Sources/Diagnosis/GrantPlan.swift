package import RecordLog

/// The permissions that verbs need, beside the rules that the brokers have for the principal that runs them.
package struct GrantPlan: Hashable, Sendable {
    /// A permission, and what rules say of it.
    package struct Step: Hashable, Sendable {
        package var permission: Permission
        package var verbs: [String]
        package var standing: Standing
    }

    package enum Standing: String, Hashable, Sendable {
        /// A rule allows it.
        case there
        /// No rule allows it and none forbids it.
        case missing
        /// A rule forbids it, which no other rule outweighs.
        case denied
    }

    package let principal: String
    /// In the order in which verbs first need them.
    package let steps: [Step]
    /// The resources of missing permissions about which there is no rule yet, as words; each once, in the order of the
    /// steps. With `allow.everyone.if.no.acl.found` they are open to everybody until there is one.
    package let unruled: [String]

    /// - Parameters:
    ///   - principal: its type and its name, such as `User:ana`.
    ///   - rules: all that the brokers have.
    package init(_ needs: [NeededPermissions.Need], principal: String, rules: [AccessRule]) {
        self.principal = principal
        // Brokers ask for this first, and where it is allowed they do not look at the topic.
        let createsAll =
            rules.contains { $0.allowsEveryTopic(to: principal) }
            && !rules.contains { $0.forbidsEveryTopic(to: principal) }
        steps = needs.map { need in
            let standing: Standing =
                if createsAll && need.permission.operation == .create {
                    .there
                } else if rules.contains(where: { $0.forbids(need.permission, to: principal) }) {
                    .denied
                } else if rules.contains(where: { $0.allows(need.permission, to: principal) }) {
                    .there
                } else {
                    .missing
                }
            return Step(permission: need.permission, verbs: need.verbs, standing: standing)
        }
        var unruled: [String] = []
        for step in steps where step.standing == .missing {
            let resource = step.permission.resource
            if rules.contains(where: { $0.isAbout(resource) }) || unruled.contains(resource.name) { continue }
            unruled.append(resource.name)
        }
        self.unruled = unruled
    }

    /// The permissions that a grant would give.
    package var missing: [Permission] { steps.filter { $0.standing == .missing }.map(\.permission) }
    package var denied: [Permission] { steps.filter { $0.standing == .denied }.map(\.permission) }
}
