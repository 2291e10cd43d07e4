/// The values that an option may have: how they are read and written, and how people and JSON Schema are told.
package struct OptionForm<Value: Sendable>: Sendable {
    /// Completes the sentence "must be …".
    package let allowed: String
    package let schema: JSONSchema
    /// Reads a value; the result is `nil` if it is not allowed. It throws if a part of the value tells better what is
    /// wrong.
    let read: @Sendable (_ value: ParameterValue, _ path: String) throws(ConfigurationProblems) -> Value?
    let write: @Sendable (Value) -> ParameterValue

    package init(
        allowed: String, schema: JSONSchema,
        read: @escaping @Sendable (ParameterValue) -> Value?, write: @escaping @Sendable (Value) -> ParameterValue
    ) {
        self.init(
            allowed: allowed, schema: schema, readPart: { value, _ throws(ConfigurationProblems) in read(value) },
            write: write)
    }

    /// A form for values with parts of their own, each with a problem of its own.
    package init(
        allowed: String, schema: JSONSchema,
        readPart: @escaping @Sendable (ParameterValue, String) throws(ConfigurationProblems) -> Value?,
        write: @escaping @Sendable (Value) -> ParameterValue
    ) {
        self.allowed = allowed
        self.schema = schema
        self.read = readPart
        self.write = write
    }

    /// The same form, in which null stands for no value.
    var optional: OptionForm<Value?> {
        OptionForm<Value?>(
            allowed: allowed, schema: schema,
            readPart: { value, path throws(ConfigurationProblems) in
                // `.some(nil)`, not nil: null is allowed and means none.
                if value == .null { return .some(nil) }
                return try read(value, path).map { .some($0) }
            },
            write: { $0.map(write) ?? .null })
    }
}

extension OptionForm<Int> {
    /// Whole numbers within a range.
    package static func integer(_ range: ClosedRange<Int>) -> Self {
        OptionForm(
            allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            schema: [
                "type": "integer", "minimum": .value(.number("\(range.lowerBound)")),
                "maximum": .value(.number("\(range.upperBound)")),
            ],
            read: { value in
                guard case .number(let text) = value else { return nil }
                guard let number = Int(text) ?? Double(text).flatMap({ Int(exactly: $0) }) else { return nil }
                return range ~= number ? number : nil
            },
            write: { .number("\($0)") })
    }
}

extension OptionForm<Bool> {
    /// True or false.
    package static var bool: Self {
        OptionForm(
            allowed: "true or false", schema: ["type": "boolean"],
            read: { if case .bool(let bool) = $0 { bool } else { nil } }, write: { .bool($0) })
    }
}

extension OptionForm<Parameters> {
    /// Any object, which is carried through as it came.
    package static var parameters: Self {
        OptionForm(
            allowed: "an object", schema: ["type": "object"],
            read: { if case .object(let members) = $0 { members } else { nil } }, write: { .object($0) })
    }
}

extension OptionForm<TimelineScheduleMode> {
    /// The name of a mode.
    package static var mode: Self {
        let names = TimelineScheduleMode.allCases.map(\.rawValue)
        return OptionForm(
            allowed: names.joined(separator: " or "), schema: .reference(to: "mode"),
            read: { if case .string(let text) = $0 { TimelineScheduleMode(rawValue: text) } else { nil } },
            write: { .string($0.rawValue) })
    }
}

/// A JSON Schema (2020-12), or a part of one, with its members in the order in which they are to be read.
package indirect enum JSONSchema: Sendable {
    case value(ParameterValue)
    case list([JSONSchema])
    case object([(key: String, value: JSONSchema)])

    /// A definition of the schema that this part belongs to.
    static func reference(to definition: String) -> JSONSchema { ["$ref": "#/$defs/\(definition)"] }

    /// These members behind the ones that are there.
    package func adding(_ members: [(key: String, value: JSONSchema)]) -> JSONSchema {
        guard case .object(let own) = self else { preconditionFailure("Only an object takes members.") }
        return .object(own + members)
    }
}

extension JSONSchema: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    package init(dictionaryLiteral elements: (String, JSONSchema)...) {
        self = .object(elements.map { (key: $0.0, value: $0.1) })
    }

    package init(arrayLiteral elements: JSONSchema...) {
        self = .list(elements)
    }
}

extension JSONSchema: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    package init(stringLiteral value: String) {
        self = .value(.string(value))
    }

    package init(integerLiteral value: Int) {
        self = .value(.number(String(value)))
    }

    package init(booleanLiteral value: Bool) {
        self = .value(.bool(value))
    }
}
