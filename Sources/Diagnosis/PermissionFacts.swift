package import RecordLog

/// A permission that an application needs, and whether it has it.
package struct PermissionFacts: Hashable, Sendable {
    package var permission: Permission
    package var answer: Answer
    /// The verbs that need it. What others than `process` need is missed by those who run them alone.
    package var verbs: [String]

    package enum Answer: Hashable, Sendable {
        case allowed
        case refused
        /// It cannot be told.
        case unknown(String)
    }

    package static let pipeline = "process"

    package init(_ permission: Permission, _ answer: Answer, neededBy verbs: [String] = [Self.pipeline]) {
        self.permission = permission
        self.answer = answer
        self.verbs = verbs
    }

    /// Without it nothing works.
    fileprivate var isOfPipeline: Bool { verbs.contains(Self.pipeline) }

    /// The verbs in words: `'a', 'b' and 'c'`.
    fileprivate var verbText: String {
        let names = verbs.map { "'\($0)'" }
        return names.count < 2
            ? names.joined() : names.dropLast().joined(separator: ", ") + " and \(names[names.count - 1])"
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
                    .permissions, fact.permission.name, fact.isOfPipeline ? .bad : .notice,
                    fact.isOfPipeline
                        ? "is missing" : "is missing; \(fact.verbText) \(fact.verbs.count == 1 ? "needs" : "need") it",
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
