/// The declaration of one option of a strategy or a schedule: its key, the values that are allowed, the value of an
/// absent option, and what the option is for. Configurations are read by it; their schema and the reference page are
/// written from it.
package struct StrategyOption<Value: Sendable>: Sendable {
    package let key: String
    package let form: OptionForm<Value>
    package let documentation: String
    private let whenAbsent: WhenAbsent

    private enum WhenAbsent: Sendable {
        case value(Value)
        /// The option stays absent; the text says what counts instead.
        case without(String)
        case required
    }

    /// An option that may be absent.
    package init(_ key: String, _ form: OptionForm<Value>, default defaultValue: Value, _ documentation: String) {
        self.init(key, form, .value(defaultValue), documentation)
    }

    /// An option that has to be there.
    package init(required key: String, _ form: OptionForm<Value>, _ documentation: String) {
        self.init(key, form, .required, documentation)
    }

    /// An option that has no value if it is absent; `without` says what counts then.
    package init<Wrapped>(
        _ key: String, _ form: OptionForm<Wrapped>, without: String, _ documentation: String
    ) where Value == Wrapped? {
        self.init(key, form.optional, .without(without), documentation)
    }

    private init(_ key: String, _ form: OptionForm<Value>, _ whenAbsent: WhenAbsent, _ documentation: String) {
        self.key = key
        self.form = form
        self.whenAbsent = whenAbsent
        self.documentation = documentation
    }

    /// The value that `given` stands for. An absent key is `nil`; `path` is how a configuration's reader knows the key.
    func value(of given: ParameterValue?, path: String) throws(ConfigurationProblems) -> Value {
        switch (given, whenAbsent) {
        case (.null?, _):
            throw ConfigurationProblems(ConfigurationProblem(key: path, "must be \(form.allowed), not null"))
        case (let given?, _): return try form.value(of: given, path: path)
        case (nil, .value(let value)): return value
        case (nil, .without): return try form.value(of: .null, path: path)
        case (nil, .required):
            throw ConfigurationProblems(ConfigurationProblem(key: path, "is missing: it must be \(form.allowed)"))
        }
    }
}

/// The declaration of an option with a value of any type.
package protocol OptionDeclaration: Sendable {
    var key: String { get }
    var documentation: String { get }
    /// The values that are allowed, in words that complete "must be …".
    var allowed: String { get }
    /// The value of an absent option; `nil` means that it has no default.
    var defaultValue: ParameterValue? { get }
    /// What counts if the option is absent and has no default, in words; `nil` means that it has to be there.
    var withoutValue: String? { get }
    /// The schema of the option, with its default and its documentation.
    var schema: JSONSchema { get }
    /// Everything that is wrong with a value; `nil` stands for an absent key.
    func problems(with given: ParameterValue?, path: String) -> [ConfigurationProblem]
}

extension StrategyOption: OptionDeclaration {
    package var allowed: String { form.allowed }

    package var defaultValue: ParameterValue? {
        if case .value(let value) = whenAbsent { form.write(value) } else { nil }
    }

    package var withoutValue: String? {
        if case .without(let text) = whenAbsent { text } else { nil }
    }

    package func problems(with given: ParameterValue?, path: String) -> [ConfigurationProblem] {
        do throws(ConfigurationProblems) {
            _ = try value(of: given, path: path)
            return []
        } catch {
            return error.all
        }
    }

    package var schema: JSONSchema {
        let head: [(key: String, value: JSONSchema)] = [("description", .value(.string(documentation)))]
        let tail = defaultValue.map { [(key: "default", value: JSONSchema.value($0))] } ?? []
        return JSONSchema.object(head).adding(form.schema.members).adding(tail)
    }
}

extension JSONSchema {
    fileprivate var members: [(key: String, value: JSONSchema)] {
        guard case .object(let members) = self else { preconditionFailure("An option's schema is an object.") }
        return members
    }
}

extension OptionForm {
    /// The value, or `nil` if it is not allowed.
    package func value(_ given: ParameterValue) -> Value? {
        (try? read(given, "")) ?? nil
    }

    /// - Throws: a problem that says what is allowed, and what the value is instead.
    func value(of given: ParameterValue, path: String) throws(ConfigurationProblems) -> Value {
        if let value = try read(given, path) { return value }
        throw ConfigurationProblems(ConfigurationProblem(key: path, "must be \(allowed), not \(given.shortText)"))
    }
}

extension ParameterValue {
    /// The value as a message quotes it.
    fileprivate var shortText: String {
        switch self {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .number(let text): text
        case .string(let text): "\"\(text.prefix(60))\""
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// The options of a strategy or a schedule as a configuration gives them. Each is read by its declaration; other keys
/// are refused.
package struct StrategyOptions: Sendable {
    private let given: Parameters
    /// The path by which a reader of the configuration knows this object: `strategy`, `strategy.schedule`.
    package let path: String

    package init(_ given: Parameters = Parameters(), path: String = "strategy") {
        self.given = given
        self.path = path
    }

    /// - Throws: a problem with the key as the configuration has it (`strategy.every`), and what is allowed.
    package func read<Value>(_ option: StrategyOption<Value>) throws(ConfigurationProblem) -> Value {
        do throws(ConfigurationProblems) {
            return try option.value(of: given[option.key], path: path(to: option.key))
        } catch {
            throw error.first
        }
    }

    /// - Throws: all problems: values that are not allowed, in the order of declaration, then unknown keys.
    func check(_ declared: [any OptionDeclaration], of owner: String) throws(ConfigurationProblems) {
        let problems =
            declared.flatMap { $0.problems(with: given[$0.key], path: path(to: $0.key)) }
            + unknown(besides: declared.map(\.key), of: owner)
        if !problems.isEmpty { throw ConfigurationProblems(problems) }
    }

    private func unknown(besides keys: [String], of owner: String) -> [ConfigurationProblem] {
        given.members.map(\.key).filter { key in !keys.contains { $0.isSameByUTF8(as: key) } }.map { key in
            let allowed = keys.isEmpty ? "takes no options" : "has the options \(keys.joined(separator: ", "))"
            let nearest = nearestName(to: key, among: keys).map { "; did you mean \($0)?" } ?? ""
            return ConfigurationProblem(
                key: path(to: String(key.prefix(60))), "is unknown: \(owner) \(allowed)\(nearest)")
        }
    }

    private func path(to key: String) -> String { "\(path).\(key)" }
}
