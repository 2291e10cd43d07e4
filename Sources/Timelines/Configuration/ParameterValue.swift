/// A value of a configuration's `parameters`: JSON, which is carried through to every entry as it came.
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
    /// The members in their order.
    public private(set) var members: [Member]

    /// A key with its value.
    public struct Member: Hashable, Sendable {
        /// The key, as it stands in JSON.
        public var key: String
        /// The value of the key.
        public var value: ParameterValue

        /// A member of this key and value.
        public init(key: String, value: ParameterValue) {
            self.key = key
            self.value = value
        }
    }

    /// An object without members.
    public init() {
        members = []
    }

    /// Takes the last member of each key.
    ///
    /// - Complexity: O(n log n), whatever the order of the keys: a stranger may have chosen it.
    public init(_ members: some Sequence<Member>) {
        self.members = []
        let members = Array(members)
        guard members.count > Self.fewMax else {
            // Nearly every object of a message: sorting costs more than it saves.
            self.members.reserveCapacity(members.count)
            for member in members { self[member.key] = member.value }
            return
        }
        let ordered = members.enumerated().sorted { left, right in
            if left.element.key.isSameByUTF8(as: right.element.key) { return left.offset < right.offset }
            return left.element.key.precedesByUTF8(right.element.key)
        }
        self.members.reserveCapacity(ordered.count)
        for (_, member) in ordered {
            if let last = self.members.last, last.key.isSameByUTF8(as: member.key) { self.members.removeLast() }
            self.members.append(member)
        }
    }

    private static let fewMax = 32

    /// True if there are no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The value of a key; `nil` means that the key is not there.
    ///
    /// - Complexity: O(log n) to read where there are many, O(n) to add.
    public subscript(key: String) -> ParameterValue? {
        get {
            guard members.count <= Self.fewMax else {
                let (index, isThere) = position(of: key)
                return isThere ? members[index].value : nil
            }
            // The lengths of the keys of few members tell nearly all of them apart.
            for index in members.indices where members[index].key.isSameByUTF8(as: key) { return members[index].value }
            return nil
        }
        set {
            let (index, isThere) = position(of: key)
            switch (newValue, isThere) {
            case (let value?, true): members[index].value = value
            case (let value?, false): members.insert(Member(key: key, value: value), at: index)
            case (nil, true): members.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// These members, and those of `defaults` whose keys are not among them.
    public func merged(over defaults: Parameters) -> Parameters {
        if defaults.isEmpty { return self }
        return members.isEmpty ? defaults : Parameters(defaults.members + members)
    }

    /// The place of a key, or the one where it would stand. The keys are compared where they are: a member that is
    /// handed to a closure is copied.
    private func position(of key: String) -> (index: Int, isThere: Bool) {
        var key = key
        return key.withUTF8 { key in
            var (low, high) = (0, members.count)
            while low < high {
                let middle = (low + high) / 2
                let order = members[middle].key.order(to: key)
                if order == 0 { return (middle, true) }
                if order < 0 { low = middle + 1 } else { high = middle }
            }
            return (low, false)
        }
    }
}

/// The reason why a configuration cannot be used: a key, and a sentence that says what is allowed.
public struct ConfigurationProblem: Error, Hashable, Sendable {
    /// The key as a path, such as `strategy.every`.
    public var key: String
    /// The sentence without its subject, which is the key: "must be …".
    public var message: String

    /// A problem of one key.
    public init(key: String, _ message: String) {
        self.key = key
        self.message = message
    }
}

/// Everything that is wrong with a configuration, or with a part of one.
public struct ConfigurationProblems: Error, Hashable, Sendable {
    /// The problems in the order in which the parts are declared; there is at least one.
    public let all: [ConfigurationProblem]

    /// - Precondition: there is at least one problem.
    public init(_ all: [ConfigurationProblem]) {
        precondition(!all.isEmpty, "Where there is no problem, none is thrown.")
        self.all = all
    }

    /// The only problem.
    public init(_ problem: ConfigurationProblem) {
        all = [problem]
    }

    /// The problem that an `error` timeline names (T15).
    public var first: ConfigurationProblem { all[0] }
}

extension ConfigurationProblem {
    /// The problem of a time zone that does not exist.
    package static func unknownTimeZone(_ name: String) -> ConfigurationProblem {
        ConfigurationProblem(
            key: "timeZone", "must be a time zone of the IANA database, such as Europe/Berlin, not \"\(name)\"")
    }
}
