import Messages
import Postgres
import Timelines

/// Finds the field of a record that a server refuses, by what it says.
enum RefusedField {
    /// The reason for which a record is left out.
    static func badRecord(_ error: PostgresError, _ value: [UInt8]) -> BadRecord {
        BadRecord(field: field(error, value), "PostgreSQL refuses it: \(error)")
    }

    /// The path of the field, such as `entries[0].event.title`; `nil` if it cannot be told.
    private static func field(_ error: PostgresError, _ value: [UInt8]) -> String? {
        if let constraint = error.constraint, let field = PostgresSchema.field(of: constraint) { return field }
        var parser = JSONParser()
        let members: Parameters? = try? value.decoded { (bytes) throws(MessageProblem) in try parser.object(bytes) }
        guard let members else { return nil }
        // Of a date and of a number the server quotes the text. Of text it only says that a character is none.
        let isOfCharacter = error.code == "22P05" || error.code == "22021"
        return path(in: .object(members)) { text in
            isOfCharacter ? text.utf8.contains(0) : !text.isEmpty && error.message.contains("\"\(text)\"")
        }
    }

    /// The path of the first text that fits; empty for the value itself.
    private static func path(in value: ParameterValue, _ fits: (String) -> Bool) -> String? {
        switch value {
        case .string(let text): return fits(text) ? "" : nil
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                if let path = path(in: element, fits) {
                    return "[\(index)]" + (path.first == "[" ? "" : path.isEmpty ? "" : ".") + path
                }
            }
        case .object(let members):
            for member in members.members {
                if fits(member.key) { return member.key }
                if let path = path(in: member.value, fits) {
                    return member.key + (path.isEmpty || path.first == "[" ? "" : ".") + path
                }
            }
        case .null, .bool, .number: break
        }
        return nil
    }
}
