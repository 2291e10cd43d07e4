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
