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

    fileprivate func finding(_ bootstrap: String, _ command: (String) -> String) -> Finding? {
        switch answer {
        case .allowed: nil
        case .refused where isOfPipeline:
            Finding(.permissions, permission.name, .bad, "is missing", remedy: remedy(bootstrap, command))
        case .refused:
            Finding(
                .permissions, permission.name, .notice,
                "is missing; \(verbs.inWords) \(verbs.count == 1 ? "needs" : "need") it",
                remedy: remedy(bootstrap, command))
        case .unknown(let reason):
            Finding(.permissions, permission.name, .notice, "cannot be told: \(reason)")
        }
    }

    private func remedy(_ bootstrap: String, _ command: (String) -> String) -> String {
        let grant = command("permissions --apply --principal User:NAME --only \(permission.name.shellQuoted)")
        return switch permission.resource {
        case .topic, .group: grant
        case .transactionalId, .transactionalIds:
            "\(grant); where librdkafka is older than 2.6, \(permission.grant(at: bootstrap))"
        }
    }
}

extension [PermissionFacts] {
    /// A line for each permission of `process` that is missing or cannot be told, one for those of all other verbs, and
    /// one for what is there.
    ///
    /// - Parameters:
    ///   - isDetailed: true if each of those of other verbs has a line, too.
    ///   - bootstrap: for commands that are not the program's own.
    ///   - command: makes a whole command line of a verb with its words.
    package func findings(
        isDetailed: Bool, bootstrap: String, command: (String) -> String
    ) -> [Finding] {
        let problems = filter { isDetailed || $0.isOfPipeline }.compactMap { $0.finding(bootstrap, command) }
        let others = isDetailed ? nil : self.others(command)
        let allowed = count { $0.answer == .allowed }
        let found = problems + [others].compactMap(\.self)
        if allowed == 0 { return found }
        let all = found.isEmpty ? "all \(count) that are needed are there" : "\(allowed) of \(count) are there"
        return found + [Finding(.permissions, "of this client", .good, all)]
    }

    /// The permissions that verbs beside `process` lack: whoever runs `process` alone is not to have them.
    ///
    /// - Returns: `nil` if they lack none.
    private func others(_ command: (String) -> String) -> Finding? {
        let lacking = filter { !$0.isOfPipeline && $0.answer != .allowed }
        guard !lacking.isEmpty else { return nil }
        let missing = lacking.count { $0.answer == .refused }
        let untold = lacking.count - missing
        let counts = [(missing, "missing"), (untold, "not to be told")].filter { $0.0 > 0 }
            .map { "\($0.0) \($0.0 == 1 ? "is" : "are") \($0.1)" }
        var verbs: [String] = []
        for verb in lacking.flatMap(\.verbs) where !verbs.contains(verb) { verbs.append(verb) }
        let grant = command("permissions --apply --principal User:NAME --verb VERB")
        return Finding(
            .permissions, "of other verbs", .notice,
            "\(counts.joined(separator: ", ")); \(verbs.inWords) \(verbs.count == 1 ? "needs" : "need")"
                + " \(lacking.count == 1 ? "it" : "them")",
            remedy: "If this user is to run one of them: \(grant). '--json' names each permission")
    }
}

extension [String] {
    /// Names in words: `'a', 'b' and 'c'`.
    fileprivate var inWords: String {
        let names = map { "'\($0)'" }
        return names.count < 2
            ? names.joined() : names.dropLast().joined(separator: ", ") + " and \(names[names.count - 1])"
    }
}
