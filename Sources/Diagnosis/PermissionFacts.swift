package import RecordLog

/// A permission that an application needs, and whether it has it.
package struct PermissionFacts: Hashable, Sendable {
    package var permission: Permission
    package var answer: Answer
    /// The verb that needs it. What others than `process` need is missed by those who run them alone.
    package var verb: String

    package enum Answer: Hashable, Sendable {
        case allowed
        case refused
        /// It cannot be told.
        case unknown(String)
    }

    package static let pipeline = "process"

    package init(_ permission: Permission, _ answer: Answer, neededBy verb: String = Self.pipeline) {
        self.permission = permission
        self.answer = answer
        self.verb = verb
    }
}

extension [PermissionFacts] {
    /// A line for each permission that is missing or cannot be told, and one for all others together.
    ///
    /// - Parameter bootstrap: for the commands.
    package func findings(bootstrap: String) -> [Finding] {
        let problems = compactMap { fact -> Finding? in
            switch fact.answer {
            case .allowed: nil
            case .refused:
                Finding(
                    .permissions, fact.permission.name, fact.verb == PermissionFacts.pipeline ? .bad : .notice,
                    fact.verb == PermissionFacts.pipeline ? "is missing" : "is missing; '\(fact.verb)' needs it",
                    remedy: fact.permission.grant(at: bootstrap))
            case .unknown(let reason):
                Finding(.permissions, fact.permission.name, .notice, "cannot be told: \(reason)")
            }
        }
        let allowed = count { $0.answer == .allowed }
        if allowed == 0 { return problems }
        let all = problems.isEmpty ? "all \(count) that are needed are there" : "\(allowed) of \(count) are there"
        return problems + [Finding(.permissions, "of this client", .good, all)]
    }
}
