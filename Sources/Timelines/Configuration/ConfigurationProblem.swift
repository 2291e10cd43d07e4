/// Why a configuration cannot be used: the key, and a sentence that says what is allowed.
package struct ConfigurationProblem: Error, Hashable, Sendable {
    package var key: String
    package var message: String

    package init(key: String, _ message: String) {
        self.key = key
        self.message = message
    }
}

/// All that is wrong with a configuration, or with a part of one.
package struct ConfigurationProblems: Error, Hashable, Sendable {
    /// In the order in which the parts are declared. Never empty.
    package let all: [ConfigurationProblem]

    package init(_ all: [ConfigurationProblem]) {
        precondition(!all.isEmpty, "Where there is no problem, none is thrown.")
        self.all = all
    }

    package init(_ problem: ConfigurationProblem) {
        all = [problem]
    }

    /// The one that an `error` timeline names (T15).
    package var first: ConfigurationProblem { all[0] }
}
