/// A value without a name, known by its place. Only the last one may be repeating.
@propertyWrapper
package struct Argument<Value: Sendable>: Decodable, Sendable {
    private(set) var parsed: Parsed<Value>

    package var wrappedValue: Value {
        get { parsed.value }
        set { parsed = .value(newValue) }
    }

    package init(from decoder: any Decoder) {
        parsed = Parsed(from: decoder)
    }

    private init(
        _ help: ArgumentHelp, _ completion: CompletionKind, isRepeating: Bool = false, allowedValues: [String],
        initial: Value?, defaultDescription: String? = nil,
        build: @escaping @Sendable ([String]) throws(ArgumentRefusal) -> Value
    ) {
        parsed = Parsed(
            .argument(isRepeating: isRepeating), [], help, completion, allowedValues: allowedValues, initial: initial,
            defaultDescription: defaultDescription, build: build)
    }
}

extension Argument: ParsedProperty {}

extension Argument where Value: ExpressibleByArgument {
    package init(help: ArgumentHelp, completion: CompletionKind = .default) {
        self.init(
            help, completion, allowedValues: Value.allValueStrings, initial: nil, build: readLast(Value.read) { $0 })
    }

    package init(wrappedValue: Value, help: ArgumentHelp, completion: CompletionKind = .default) {
        self.init(
            help, completion, allowedValues: Value.allValueStrings, initial: wrappedValue,
            defaultDescription: wrappedValue.defaultValueDescription, build: readLast(Value.read) { $0 })
    }
}

extension Argument {
    package init<Wrapped: ExpressibleByArgument>(help: ArgumentHelp, completion: CompletionKind = .default)
    where Value == Wrapped? {
        self.init(
            help, completion, allowedValues: Wrapped.allValueStrings, initial: .some(nil),
            build: readLast(Wrapped.read) { .some($0) })
    }

    /// Takes at least one word.
    package init<Element: ExpressibleByArgument>(help: ArgumentHelp, completion: CompletionKind = .default)
    where Value == [Element] {
        self.init(
            help, completion, isRepeating: true, allowedValues: Element.allValueStrings, initial: nil,
            build: readAll(Element.read))
    }

    /// Takes any number of words; the default stands for none.
    package init<Element: ExpressibleByArgument>(
        wrappedValue: [Element], help: ArgumentHelp, completion: CompletionKind = .default
    ) where Value == [Element] {
        self.init(
            help, completion, isRepeating: true, allowedValues: Element.allValueStrings, initial: wrappedValue,
            defaultDescription: wrappedValue.defaultDescription, build: readAll(Element.read))
    }
}
