internal import Timelines

/// Conditions on fields, all of which a row must meet: `--where kind=Bus --where phase=stale`.
package struct RowFilter: Hashable, Sendable {
    package struct Condition: Hashable, Sendable {
        package var field: String
        package var value: String

        package init(field: String, value: String) {
            self.field = field
            self.value = value
        }
    }

    /// A field that the list does not have.
    package struct UnknownField: Error, Hashable, CustomStringConvertible {
        package var description: String
    }

    package let conditions: [Condition]

    /// - Parameter fields: the names of all fields that a row of the list may have.
    /// - Throws: if a condition names another field; the message has the names, and the nearest one.
    package init(_ conditions: [Condition], fields: [String]) throws(UnknownField) {
        for condition in conditions where !fields.contains(condition.field) {
            let nearest = nearestName(to: condition.field, among: fields).map { "; did you mean \($0)?" } ?? ""
            throw UnknownField(
                description: "'\(condition.field)' is no field of this list; fields are "
                    + "\(fields.joined(separator: ", "))\(nearest)")
        }
        self.conditions = conditions
    }

    /// True if the row meets every condition. A list meets one if an element does; a field that the row does not have
    /// has the empty value. Values are compared as the JSON says them, without quotes; `*` at the end of a value stands
    /// for any text.
    package func accepts(_ row: InspectedRow) -> Bool {
        conditions.allSatisfy { condition in
            guard let value = row[condition.field] else { return condition.value.isEmpty }
            return Self.isMet(condition.value, by: value)
        }
    }

    private static func isMet(_ wanted: String, by value: ParameterValue) -> Bool {
        switch value {
        case .null: return wanted.isEmpty
        case .bool(let value): return wanted == (value ? "true" : "false")
        case .number(let text), .string(let text):
            if wanted.hasSuffix("*") { return text.utf8.starts(with: wanted.dropLast().utf8) }
            return text.isSameByUTF8(as: wanted)
        case .array(let values): return values.isEmpty ? wanted.isEmpty : values.contains { isMet(wanted, by: $0) }
        case .object: return false
        }
    }
}
