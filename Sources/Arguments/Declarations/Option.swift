/// A named value: `--format json` or `--format=json`.
///
/// With a default it may be left out, without one it must be written; an optional property is `nil` when left out.
@propertyWrapper
package struct Option<Value: Sendable>: Decodable, Sendable {
    private(set) var parsed: Parsed<Value>

    package var wrappedValue: Value {
        get { parsed.value }
        set { parsed = .value(newValue) }
    }

    package init(from decoder: any Decoder) {
        parsed = Parsed(from: decoder)
    }

    private init(
        _ name: NameSpecification, _ strategy: ArrayParsingStrategy?, _ help: ArgumentHelp,
        _ completion: CompletionKind, allowedValues: [String], initial: Value?, defaultDescription: String?,
        build: @escaping @Sendable ([String]) throws(ArgumentRefusal) -> Value
    ) {
        parsed = Parsed(
            .option(strategy), name, help, completion, allowedValues: allowedValues, initial: initial,
            defaultDescription: defaultDescription, build: build)
    }
}

extension Option: ParsedProperty {}

// MARK: - One value; the last one written counts

extension Option where Value: ExpressibleByArgument {
    package init(
        wrappedValue: Value, name: NameSpecification = .long, help: ArgumentHelp, completion: CompletionKind = .default
    ) {
        self.init(
            name, nil, help, completion, allowedValues: Value.allValueStrings, initial: wrappedValue,
            defaultDescription: wrappedValue.defaultValueDescription, build: readLast(Value.read) { $0 })
    }

    package init(name: NameSpecification = .long, help: ArgumentHelp, completion: CompletionKind = .default) {
        self.init(
            name, nil, help, completion, allowedValues: Value.allValueStrings, initial: nil, defaultDescription: nil,
            build: readLast(Value.read) { $0 })
    }
}

extension Option {
    package init<Wrapped: ExpressibleByArgument>(
        name: NameSpecification = .long, help: ArgumentHelp, completion: CompletionKind = .default
    ) where Value == Wrapped? {
        self.init(
            name, nil, help, completion, allowedValues: Wrapped.allValueStrings, initial: .some(nil),
            defaultDescription: nil, build: readLast(Wrapped.read) { .some($0) })
    }

    /// - Parameter transform: Reads the word, or throws an error whose description says why it cannot.
    package init(
        name: NameSpecification = .long, help: ArgumentHelp, completion: CompletionKind = .default,
        transform: @escaping @Sendable (String) throws -> Value
    ) {
        self.init(
            name, nil, help, completion, allowedValues: [], initial: nil, defaultDescription: nil,
            build: readLast(transforming(transform)) { $0 })
    }

    /// - Parameter transform: Reads the word, or throws an error whose description says why it cannot.
    package init<Wrapped>(
        name: NameSpecification = .long, help: ArgumentHelp, completion: CompletionKind = .default,
        transform: @escaping @Sendable (String) throws -> Wrapped
    ) where Value == Wrapped? {
        self.init(
            name, nil, help, completion, allowedValues: [], initial: .some(nil), defaultDescription: nil,
            build: readLast(transforming(transform)) { .some($0) })
    }
}

// MARK: - Several values, in the order in which they are written

extension Option {
    package init<Element: ExpressibleByArgument>(
        wrappedValue: [Element], name: NameSpecification = .long, parsing strategy: ArrayParsingStrategy = .singleValue,
        help: ArgumentHelp, completion: CompletionKind = .default
    ) where Value == [Element] {
        self.init(
            name, strategy, help, completion, allowedValues: Element.allValueStrings, initial: wrappedValue,
            defaultDescription: wrappedValue.defaultDescription, build: readAll(Element.read))
    }

    /// Without a default, at least one value must be written.
    package init<Element: ExpressibleByArgument>(
        name: NameSpecification = .long, parsing strategy: ArrayParsingStrategy = .singleValue,
        help: ArgumentHelp, completion: CompletionKind = .default
    ) where Value == [Element] {
        self.init(
            name, strategy, help, completion, allowedValues: Element.allValueStrings, initial: nil,
            defaultDescription: nil, build: readAll(Element.read))
    }
}
