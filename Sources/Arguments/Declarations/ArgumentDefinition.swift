/// One declared option, flag or argument, whatever its type.
struct ArgumentDefinition: Sendable {
    enum Kind: Equatable, Sendable {
        case flag(inversion: FlagInversion?)
        case option(ArrayParsingStrategy?)
        case argument(isRepeating: Bool)
    }

    /// The names of the properties that lead to it, through groups.
    var path: [String] = []
    /// As typed, with hyphens; empty for an argument.
    var names: [String] = []
    let kind: Kind
    let nameSpecification: NameSpecification
    let help: ArgumentHelp
    let isRequired: Bool
    /// The default as the help shows it, where it says something.
    let defaultDescription: String?
    let allowedValues: [String]
    let completion: CompletionKind
    /// The property's value from the words given for it, none included; not called without words where one is required.
    let build: @Sendable ([String]) throws(ArgumentRefusal) -> any Sendable

    var isArgument: Bool {
        if case .argument = kind { true } else { false }
    }

    var isFlag: Bool {
        if case .flag = kind { true } else { false }
    }

    var isRepeating: Bool {
        switch kind {
        case .flag: false
        case .option(let strategy): strategy != nil
        case .argument(let isRepeating): isRepeating
        }
    }

    /// Names that turn a flag off: `--no-…`.
    var offNames: [String] {
        guard case .flag(.prefixedNo) = kind else { return [] }
        return names.filter { $0.hasPrefix("--") }.map { "--no-\($0.dropFirst(2))" }
    }

    /// What stands for the value: `<file>`.
    var valuePlaceholder: String {
        "<\(help.valueName ?? path.last?.hyphenated ?? "value")>"
    }

    /// The option with its value as usage lines and problems show it: `--csv <file> ...`.
    var usage: String {
        let name = names.last { $0.hasPrefix("--") } ?? names.last
        let value = isFlag ? nil : valuePlaceholder + (isRepeating ? " ..." : "")
        return [name, value].compactMap(\.self).joined(separator: " ")
    }

    /// What a shell offers: the values of the type where nothing else is said.
    var offered: CompletionKind {
        completion == .default && !allowedValues.isEmpty ? .list(allowedValues) : completion
    }
}

/// A word that stands for no value.
struct ArgumentRefusal: Error {
    let word: String
    /// What is allowed, or why this is not.
    let reason: String?

    init(word: String, reason: String?) {
        self.word = word
        self.reason = reason
    }
}

/// Reads one word as a value.
typealias ReadArgument<Value> = @Sendable (String) throws(ArgumentRefusal) -> Value

extension ExpressibleByArgument {
    static func read(_ word: String) throws(ArgumentRefusal) -> Self {
        guard let value = Self(argument: word) else {
            throw ArgumentRefusal(word: word, reason: allowedDescription.map { "allowed is \($0)" })
        }
        return value
    }
}

/// A value to be read by a transformation that says itself what is wrong.
func transforming<Value>(_ transform: @escaping @Sendable (String) throws -> Value) -> ReadArgument<Value> {
    { word throws(ArgumentRefusal) in
        do {
            return try transform(word)
        } catch {
            throw ArgumentRefusal(word: word, reason: "\(error)")
        }
    }
}

/// Reads the last of some words, which are not none.
func readLast<Value, Result>(
    _ read: @escaping ReadArgument<Value>, as wrap: @escaping @Sendable (Value) -> Result
) -> @Sendable ([String]) throws(ArgumentRefusal) -> Result {
    { words throws(ArgumentRefusal) in
        guard let last = words.last else { preconditionFailure("a required value was not asked for") }
        // The ones before it must be right, too.
        for word in words.dropLast() { _ = try read(word) }
        return wrap(try read(last))
    }
}

/// Reads each of some words.
func readAll<Element>(
    _ read: @escaping ReadArgument<Element>
) -> @Sendable ([String]) throws(ArgumentRefusal) -> [Element] {
    { words throws(ArgumentRefusal) in
        var result: [Element] = []
        for word in words { result.append(try read(word)) }
        return result
    }
}

extension Array where Element: ExpressibleByArgument {
    /// The elements as they are shown as a default; `nil` where there are none.
    var defaultDescription: String? {
        isEmpty ? nil : map(\.defaultValueDescription).joined(separator: ", ")
    }
}
