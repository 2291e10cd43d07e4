/// Something wrong with one setting.
package struct SettingsProblem: Equatable, Sendable {
    package enum Reason: Equatable, Sendable {
        /// No such key; `suggestion` is written as it would be in that source.
        case unknown(suggestion: String?)
        /// Found is not allowed. Secrets are hidden in `found`.
        case notAllowed(found: String, allowed: String, suggestion: String?)
        /// The file is not what it should be at that line.
        case unreadable(String)
        /// Right by itself, but not together with others, or refused by what it is passed to.
        case rule(String)
    }

    package let source: SettingSource
    /// Empty where the problem is not one key's.
    package let key: String
    package let reason: Reason

    package init(source: SettingSource, key: String, reason: Reason) {
        self.source = source
        self.key = key
        self.reason = reason
    }
}

extension SettingsProblem: CustomStringConvertible {
    package var description: String {
        let place = key.isEmpty ? "\(source)" : "\(source): \(key)"
        switch reason {
        case .unknown(let suggestion):
            return "\(place) is not a setting\(Self.question(suggestion))"
        case .notAllowed(let found, let allowed, let suggestion):
            return "\(place) is '\(found)', allowed is \(allowed)\(Self.question(suggestion))"
        case .unreadable(let message), .rule(let message):
            return "\(place): \(message)"
        }
    }

    private static func question(_ suggestion: String?) -> String {
        suggestion.map { "; did you mean '\($0)'?" } ?? ""
    }
}

/// Everything that is wrong with the settings: flags in their order, then variables by name, then the file by line,
/// then what does not go together.
package struct SettingsProblems: Error, Equatable {
    /// The problems; there is at least one.
    package let problems: [SettingsProblem]

    package init(problems: [SettingsProblem]) {
        precondition(!problems.isEmpty, "No problem is no error.")
        self.problems = problems
    }
}

extension SettingsProblems: CustomStringConvertible {
    /// A line per problem.
    package var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
