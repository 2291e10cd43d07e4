/// Gives the words of a command line to the options, flags and arguments that they are for.
struct ArgumentReader {
    private let definitions: [ArgumentDefinition]
    /// By definition, what was written for it.
    private var given: [[String]]
    private var positionals: [String] = []
    private var rest: ArraySlice<String> = []

    init(_ definitions: [ArgumentDefinition]) {
        self.definitions = definitions
        self.given = Array(repeating: [], count: definitions.count)
    }

    mutating func read(_ words: ArraySlice<String>) throws(UsageProblem) {
        rest = words
        while let word = rest.popFirst() {
            if word == "--" {
                positionals += rest
                break
            } else if Self.isValue(word) {
                positionals.append(word)
            } else if word.hasPrefix("--") {
                try readLong(word)
            } else {
                try readShort(word)
            }
        }
        try distributePositionals()
    }

    /// True if a word is a value by its looks: no hyphen before it, standard input's `-`, or a negative number.
    private static func isValue(_ word: String) -> Bool {
        !word.hasPrefix("-") || word == "-" || (word.dropFirst().first?.isNumber == true && Double(word) != nil)
    }

    // MARK: - Options

    private mutating func readLong(_ word: String) throws(UsageProblem) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        try readOption(parts[0], attached: parts.count > 1 ? parts[1] : nil)
    }

    /// `-a`, `-abc` for three flags, `-n5`, `-n=5` or `-n 5`.
    private mutating func readShort(_ word: String) throws(UsageProblem) {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            let name = "-\(letter)"
            let takesValue = definitions.contains { !$0.isFlag && $0.names.contains(name) }
            let isKnown = definitions.contains { $0.names.contains(name) }
            guard isKnown else { throw .unknownOption(word, letter: name, among: names) }
            guard takesValue || letters.first == "=" else {
                try readOption(name, attached: nil)
                continue
            }
            let value = letters.first == "=" ? letters.dropFirst() : letters
            try readOption(name, attached: letters.isEmpty ? nil : String(value))
            return
        }
    }

    private mutating func readOption(_ name: String, attached: String?) throws(UsageProblem) {
        guard let index = definitions.firstIndex(where: { ($0.names + $0.offNames).contains(name) }) else {
            throw .unknownOption(name, among: names)
        }
        let definition = definitions[index]
        switch (definition.kind, attached) {
        case (.flag, .some(let value)):
            throw UsageProblem("The flag '\(name)' takes no value, but has '\(value)'.")
        case (.flag, nil):
            given[index].append(definition.offNames.contains(name) ? Flag.off : Flag.on)
        case (_, .some(let value)):
            given[index].append(value)
        case (.option(.upToNextOption), nil):
            let values = rest.prefix(while: Self.isValue)
            guard !values.isEmpty else { throw missingValue(of: definition, name: name) }
            given[index] += values
            rest = rest.dropFirst(values.count)
        case (_, nil):
            guard let value = rest.first, Self.isValue(value) else { throw missingValue(of: definition, name: name) }
            given[index].append(value)
            rest = rest.dropFirst()
        }
    }

    private var names: [String] {
        definitions.flatMap { $0.names + $0.offNames } + ["--help"]
    }

    private func missingValue(of definition: ArgumentDefinition, name: String) -> UsageProblem {
        var message = "Missing value for '\(definition.usage)'."
        if let next = rest.first, next != "--" {
            message += " If '\(next)' is the value, write '\(name)=\(next)'."
        }
        return UsageProblem(message)
    }

    // MARK: - Arguments

    private mutating func distributePositionals() throws(UsageProblem) {
        var left = positionals[...]
        for (index, definition) in definitions.enumerated() where definition.isArgument {
            if definition.isRepeating {
                given[index] += left
                left = []
            } else if let word = left.popFirst() {
                given[index].append(word)
            }
        }
        if let word = left.first {
            throw UsageProblem("Unexpected argument '\(word)'.")
        }
    }

    // MARK: - Values

    /// The values of all properties, by their paths.
    func values() throws(UsageProblem) -> [[String]: any Sendable] {
        var values: [[String]: any Sendable] = [:]
        for (definition, words) in zip(definitions, given) {
            if words.isEmpty, definition.isRequired {
                throw UsageProblem("Missing \(definition.isArgument ? "argument" : "option") '\(definition.usage)'.")
            }
            do {
                values[definition.path] = try definition.build(words)
            } catch {
                throw .invalid(
                    error.word, for: definition.usage, reason: error.reason, candidates: definition.allowedValues)
            }
        }
        return values
    }
}
