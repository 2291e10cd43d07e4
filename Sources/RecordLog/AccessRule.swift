/// A rule of the brokers' authoriser (an ACL, KIP-11): what a principal may do with a resource, or may not.
package struct AccessRule: Hashable, Sendable {
    /// Its type and its name, such as `User:ana`; `User:*` stands for everybody.
    package var principal: String
    /// The address from which it counts; `*` stands for each.
    package var host: String
    package var operations: Operations
    package var resource: Resource
    /// The name of the resource, or the beginning of it; the name `*` stands for each.
    package var name: String
    /// True if the rule counts for each resource whose name begins so.
    package var isPrefix: Bool
    /// True if the rule forbids. It then stands above every rule that allows.
    package var isDenial: Bool

    package enum Operations: Hashable, Sendable {
        case all
        case only(Permission.Operation)
        /// One that no permission here is about.
        case other
    }

    package enum Resource: Hashable, Sendable {
        case topic
        case group
        /// All of the cluster: who may create there may create each topic.
        case cluster
        case transactionalId
        /// A resource that no permission here is about, or a transactional id: librdkafka before 2.6 does not tell
        /// delegation tokens, users and transactional ids apart.
        case other
    }

    package init(
        principal: String, host: String = "*", operations: Operations, resource: Resource, name: String,
        isPrefix: Bool = false, isDenial: Bool = false
    ) {
        self.principal = principal
        self.host = host
        self.operations = operations
        self.resource = resource
        self.name = name
        self.isPrefix = isPrefix
        self.isDenial = isDenial
    }

    /// True if the rule is why a principal may do that from everywhere.
    package func allows(_ permission: Permission, to principal: String) -> Bool {
        guard !isDenial, host == "*", isAbout(principal), isAbout(permission.resource) else { return false }
        return switch operations {
        case .all: true
        case .only(let operation): operation == permission.operation || operation.includes(permission.operation)
        case .other: false
        }
    }

    /// True if the rule is why a principal may not do that, from somewhere at least.
    package func forbids(_ permission: Permission, to principal: String) -> Bool {
        guard isDenial, isAbout(principal), isAbout(permission.resource) else { return false }
        return operations == .all || operations == .only(permission.operation)
    }

    /// True if the rule is about the resource, whatever it says. A resource about which there is no rule may be open to
    /// everybody (`allow.everyone.if.no.acl.found`).
    package func isAbout(_ resource: Permission.Resource) -> Bool {
        switch (self.resource, resource) {
        case (.topic, .topic(let wanted)), (.group, .group(let wanted)): isAbout(name: wanted)
        case (_, .transactionalId(let wanted)): isAboutTransactions && isAbout(name: wanted)
        case (_, .transactionalIds(let prefix)):
            isAboutTransactions && (name == "*" || isPrefix && prefix.utf8.starts(with: name.utf8))
        default: false
        }
    }

    /// True for a rule about transactional ids: of the resources that an old librdkafka does not tell apart, they alone
    /// can be written.
    private var isAboutTransactions: Bool {
        resource == .transactionalId || resource == .other && operations == .only(.write)
    }

    /// True if the rule is why a principal may create every topic from everywhere.
    package func allowsEveryTopic(to principal: String) -> Bool {
        !isDenial && host == "*" && isAboutCreating(principal)
    }

    /// True if the rule is why a principal needs the permission of each topic that it creates.
    package func forbidsEveryTopic(to principal: String) -> Bool { isDenial && isAboutCreating(principal) }

    private func isAboutCreating(_ principal: String) -> Bool {
        resource == .cluster && isAbout(principal) && (operations == .all || operations == .only(.create))
    }

    private func isAbout(_ principal: String) -> Bool { self.principal == principal || self.principal == "User:*" }

    private func isAbout(name wanted: String) -> Bool {
        isPrefix ? wanted.utf8.starts(with: name.utf8) : name == "*" || name == wanted
    }
}

extension Permission.Operation {
    /// True if who may do this may do the other, too.
    fileprivate func includes(_ other: Permission.Operation) -> Bool {
        switch other {
        case .describe: self == .read || self == .write || self == .delete || self == .alter
        case .describeConfigs: self == .alterConfigs
        default: false
        }
    }
}
