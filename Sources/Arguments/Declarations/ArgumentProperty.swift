/// A property with a wrapper: it begins as a declaration and becomes a value by being decoded.
protocol ArgumentProperty {
    /// Returns everything that is declared under the property at the end of `path`.
    func definitions(at path: [String]) -> [ArgumentDefinition]

    /// Checks what a group checks by itself.
    func validateGroup() throws(ValidationError)
}

extension ArgumentProperty {
    func validateGroup() throws(ValidationError) {}
}

/// A property that stands for one option, flag or argument.
protocol ParsedProperty: ArgumentProperty {
    associatedtype Value: Sendable
    var parsed: Parsed<Value> { get }
}

extension ParsedProperty {
    func definitions(at path: [String]) -> [ArgumentDefinition] {
        parsed.definitions(at: path)
    }
}

/// The content of a wrapper before and after parsing.
enum Parsed<Value: Sendable>: Sendable {
    case definition(ArgumentDefinition, initial: Value?)
    case value(Value)

    /// The value; before parsing, the default.
    var value: Value {
        switch self {
        case .value(let value), .definition(_, .some(let value)): value
        case .definition: preconditionFailure("a required argument was read before it was parsed")
        }
    }

    /// A declaration.
    ///
    /// - Parameters:
    ///   - initial: the value if no word is given; `nil` requires one.
    ///   - build: reads the words given, at least one.
    init(
        _ kind: ArgumentDefinition.Kind, _ names: NameSpecification, _ help: ArgumentHelp,
        _ completion: CompletionKind, allowedValues: [String], initial: Value?, defaultDescription: String?,
        build: @escaping @Sendable ([String]) throws(ArgumentRefusal) -> Value
    ) {
        let definition = ArgumentDefinition(
            kind: kind, nameSpecification: names, help: help, isRequired: initial == nil,
            defaultDescription: defaultDescription, allowedValues: allowedValues, completion: completion,
            build: { words throws(ArgumentRefusal) in
                if words.isEmpty, let initial { initial } else { try build(words) }
            })
        self = .definition(definition, initial: initial)
    }

    init(from decoder: any Decoder) {
        guard let decoder = decoder as? ArgumentDecoder else {
            preconditionFailure("commands are decoded from command lines only")
        }
        self = .value(decoder.value())
    }

    func definitions(at path: [String]) -> [ArgumentDefinition] {
        guard case .definition(var definition, _) = self, let property = path.last else { return [] }
        definition.path = path
        definition.names = definition.nameSpecification.names(for: property)
        return [definition]
    }
}

extension ParsableArguments {
    /// Everything declared in a type, in the order of its properties.
    static func definitions(below path: [String] = []) -> [ArgumentDefinition] {
        Self().properties.flatMap { $0.property.definitions(at: path + [$0.name]) }
    }

    /// The stored properties without a wrapper, which cannot be parsed.
    static var unwrappedProperties: [String] {
        Mirror(reflecting: Self()).children.compactMap { $0.value is any ArgumentProperty ? nil : $0.label }
    }

    /// Checks the groups, then the whole.
    func validateAll() throws(ValidationError) {
        for (_, property) in properties { try property.validateGroup() }
        try validate()
    }

    private var properties: [(name: String, property: any ArgumentProperty)] {
        Mirror(reflecting: self).children.compactMap { child in
            guard let label = child.label, let property = child.value as? any ArgumentProperty else { return nil }
            // The storage of a wrapped property is called like it, after an underscore.
            return (String(label.drop { $0 == "_" }), property)
        }
    }
}
