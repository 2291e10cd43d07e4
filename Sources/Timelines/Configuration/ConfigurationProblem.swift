/// Why a configuration cannot be used: the key, and a sentence that says what is allowed.
public struct ConfigurationProblem: Error, Hashable, Sendable {
    public var key: String
    public var message: String

    public init(key: String, _ message: String) {
        self.key = key
        self.message = message
    }
}

/// All that is wrong with a configuration, or with a part of one.
public struct ConfigurationProblems: Error, Hashable, Sendable {
    /// In the order in which the parts are declared. Never empty.
    public let all: [ConfigurationProblem]

    public init(_ all: [ConfigurationProblem]) {
        precondition(!all.isEmpty, "Where there is no problem, none is thrown.")
        self.all = all
    }

    public init(_ problem: ConfigurationProblem) {
        all = [problem]
    }

    /// The one that an `error` timeline names (T15).
    public var first: ConfigurationProblem { all[0] }
}
