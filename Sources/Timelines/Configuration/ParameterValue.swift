/// A value of a configuration's `parameters`: JSON, carried through to every entry as it came.
public indirect enum ParameterValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// The number's own JSON text, so that nothing is lost or rewritten.
    case number(String)
    case string(String)
    case array([ParameterValue])
    case object(Parameters)
}

/// The members of a JSON object, ascending by key (UTF-8 bytes); a key is there once.
public struct Parameters: Hashable, Sendable {
    public private(set) var members: [Member]

    public struct Member: Hashable, Sendable {
        public var key: String
        public var value: ParameterValue

        public init(key: String, value: ParameterValue) {
            self.key = key
            self.value = value
        }
    }

    public init() {
        members = []
    }

    /// Of a key that comes twice the last one counts.
    public init(_ members: some Sequence<Member>) {
        self.members = []
        for member in members { self[member.key] = member.value }
    }

    public var isEmpty: Bool { members.isEmpty }

    /// - Complexity: O(log n) to read, O(n) to add.
    public subscript(key: String) -> ParameterValue? {
        get {
            let index = position(of: key)
            return index < members.count && members[index].key.isSameByUTF8(as: key) ? members[index].value : nil
        }
        set {
            let index = position(of: key)
            let isThere = index < members.count && members[index].key.isSameByUTF8(as: key)
            switch (newValue, isThere) {
            case (let value?, true): members[index].value = value
            case (let value?, false): members.insert(Member(key: key, value: value), at: index)
            case (nil, true): members.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// These members, and of `defaults` those whose keys are not here.
    public func merged(over defaults: Parameters) -> Parameters {
        var result = defaults
        for member in members { result[member.key] = member.value }
        return result
    }

    private func position(of key: String) -> Int {
        var low = 0
        var high = members.count
        while low < high {
            let middle = (low + high) / 2
            if members[middle].key.utf8.lexicographicallyPrecedes(key.utf8) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

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

extension ConfigurationProblem {
    /// For readers of configurations and for the provider alike.
    package static func unknownTimeZone(_ name: String) -> ConfigurationProblem {
        ConfigurationProblem(
            key: "timeZone", "must be a time zone of the IANA database, such as Europe/Berlin, not \"\(name)\"")
    }
}
