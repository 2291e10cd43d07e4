/// An operation on a resource that a broker's authoriser has to allow (KIP-11).
package struct Permission: Hashable, Sendable {
    package var operation: Operation
    package var resource: Resource

    package init(_ operation: Operation, _ resource: Resource) {
        self.operation = operation
        self.resource = resource
    }

    /// The operations, by the names that Kafka's tools know them by. `Read` and `Write` include `Describe`.
    package enum Operation: String, Sendable {
        case read = "Read"
        case write = "Write"
        case create = "Create"
        case delete = "Delete"
        case alter = "Alter"
        case describe = "Describe"
        case describeConfigs = "DescribeConfigs"
        case alterConfigs = "AlterConfigs"
    }

    package enum Resource: Hashable, Sendable {
        case topic(String)
        case group(String)
        case transactionalId(String)
        /// All transactional ids that begin like this.
        case transactionalIds(prefix: String)

        /// The resource in words: `topic timeline.positions`.
        package var name: String {
            switch self {
            case .topic(let name): "topic \(name)"
            case .group(let name): "group \(name)"
            case .transactionalId(let id): "transactional id \(id)"
            case .transactionalIds(let prefix): "transactional ids that begin with \(prefix)"
            }
        }
    }

    /// The operation and the resource in words: `Read on topic timeline.positions`.
    package var name: String { "\(operation.rawValue) on \(resource.name)" }

    /// The command of Kafka's own tools that grants it, for what this program cannot.
    ///
    /// - Parameters:
    ///   - bootstrap: the addresses of the cluster.
    ///   - principal: its type and its name. Without it, a placeholder stands there for whoever knows it.
    package func grant(at bootstrap: String, to principal: String = "User:NAME") -> String {
        let options =
            switch resource {
            case .topic(let name): "--topic \(name.shellWord)"
            case .group(let name): "--group \(name.shellWord)"
            case .transactionalId(let id): "--transactional-id \(id.shellWord)"
            case .transactionalIds(let prefix):
                "--transactional-id \(prefix.shellWord) --resource-pattern-type prefixed"
            }
        return "kafka-acls --bootstrap-server \(bootstrap.shellWord) --add --allow-principal \(principal.shellWord)"
            + " --operation \(operation.rawValue) \(options)"
    }
}

extension LogError {
    /// The error of a call that was refused for want of a permission. Any other error stays as it is, and so does one
    /// whose permission is known.
    ///
    /// - Parameter grants: what grants permissions of the cluster that refused; `nil` if the cluster is not known.
    package func needing(_ permission: Permission, by grants: Grants? = nil) -> LogError {
        guard code == .notAuthorised, self.permission == nil else { return self }
        var error = self
        error.permission = permission
        error.grants = grants
        return error
    }

    /// The error for somebody who knows better which permission the call needed. An error about something else stays as
    /// it is.
    package func needingInstead(_ permission: Permission) -> LogError {
        guard code == .notAuthorised else { return self }
        var error = self
        error.permission = permission
        return error
    }

    /// The error for somebody who looks at a topic in order to read or write it: the permission for that includes the
    /// one to look, so that one is named.
    package func needing(_ operation: Permission.Operation) -> LogError {
        guard let permission, permission.operation == .describe, case .topic = permission.resource else { return self }
        var error = self
        error.permission = Permission(operation, permission.resource)
        return error
    }
}
