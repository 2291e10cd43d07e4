/// The way to turn a flag off again.
package enum FlagInversion: Equatable, Sendable {
    /// `--colors` and `--no-colors`; the last one written counts.
    case prefixedNo
}

/// A switch: `--until-caught-up`.
@propertyWrapper
package struct Flag: Decodable, Sendable {
    private(set) var parsed: Parsed<Bool>

    package var wrappedValue: Bool {
        get { parsed.value }
        set { parsed = .value(newValue) }
    }

    package init(
        wrappedValue: Bool = false, name: NameSpecification = .long, inversion: FlagInversion? = nil,
        help: ArgumentHelp
    ) {
        precondition(!wrappedValue || inversion != nil, "a flag that is on must have a way to turn it off")
        let definition = ArgumentDefinition(
            kind: .flag(inversion: inversion), nameSpecification: name, help: help, isRequired: false,
            defaultDescription: inversion == nil ? nil : wrappedValue ? "on" : "off", allowedValues: [],
            completion: .default
        ) { words in
            words.last.map { $0 == Self.on } ?? wrappedValue
        }
        parsed = .definition(definition, initial: wrappedValue)
    }

    package init(from decoder: any Decoder) {
        parsed = Parsed(from: decoder)
    }

    /// The word that the parser notes for a flag that was written; any other stands for its inversion.
    static let on = "on"
    static let off = "off"
}

extension Flag: ParsedProperty {}

/// Options that several commands share, declared once.
@propertyWrapper
package struct OptionGroup<Value: ParsableArguments>: Decodable, Sendable {
    package var wrappedValue: Value

    package init() {
        wrappedValue = Value()
    }

    package init(from decoder: any Decoder) throws {
        wrappedValue = try Value(from: decoder)
    }
}

extension OptionGroup: ArgumentProperty {
    func definitions(at path: [String]) -> [ArgumentDefinition] {
        Value.definitions(below: path)
    }

    func validateGroup() throws(ValidationError) {
        try wrappedValue.validateAll()
    }
}
