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
