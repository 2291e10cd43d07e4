package import Timelines

/// Hides push tokens and other secrets in what is shown of records.
///
/// A member of JSON is hidden by its name. In text that is no JSON, what follows such a name is hidden, and so is every
/// run of 32 or more hexadecimal digits: a push token is one.
package enum SecretMask {
    private static let words = [
        "token", "secret", "password", "passwd", "authorization", "apikey", "api-key", "api_key", "credential",
        "privatekey", "private-key", "private_key",
    ]
    private static let digitsMin = 32

    /// True if a member or a header of this name holds a secret.
    package static func hides(_ name: String) -> Bool {
        let name = name.lowercased()
        return words.contains { name.contains($0) }
    }

    /// What stands in place of a secret: its length alone.
    package static func mask(_ secret: some StringProtocol) -> String { "(masked, \(secret.utf8.count) bytes)" }

    /// The value of a member, with all secrets in it masked.
    package static func masked(_ value: ParameterValue, named name: String = "") -> ParameterValue {
        switch value {
        case .null, .bool: return value
        case .number(let text): return hides(name) ? .string(mask(text)) : value
        case .string(let text): return hides(name) ? .string(mask(text)) : value
        case .array(let values): return .array(values.map { masked($0, named: name) })
        case .object(let members):
            return .object(
                Parameters(
                    members.members.map {
                        Parameters.Member(
                            key: $0.key, value: masked($0.value, named: hides(name) ? name : $0.key))
                    }))
        }
    }

    /// Text that is no JSON, with all secrets in it masked.
    package static func masked(text: String) -> String {
        var rest = Substring(text)
        var result = ""
        while let character = rest.first {
            if let word = words.first(where: { rest.prefix($0.count).lowercased() == $0 }) {
                result += rest.prefix(word.count)
                rest = rest.dropFirst(word.count)
                result += takeSecret(after: &rest)
                continue
            }
            let digits = rest.prefix { $0.isASCII && $0.isHexDigit }
            if digits.isEmpty {
                result.append(character)
                rest = rest.dropFirst()
            } else {
                result += digits.count >= digitsMin ? Substring(mask(digits)) : digits
                rest = rest[digits.endIndex...]
            }
        }
        return result
    }

    /// Takes what belongs to a secret's name, `": "…"` or `=…`, and returns it with the secret masked.
    private static func takeSecret(after rest: inout Substring) -> String {
        let between = rest.prefix { $0.isLetter || "\"'_-".contains($0) || $0.isWhitespace }
        guard let sign = rest[between.endIndex...].first, sign == ":" || sign == "=" else { return "" }
        var begin = rest.index(after: between.endIndex)
        begin = rest[begin...].firstIndex { !$0.isWhitespace } ?? rest.endIndex
        let quote = rest[begin...].first.flatMap { "\"'".contains($0) ? $0 : nil }
        if quote != nil { begin = rest.index(after: begin) }
        let secret = rest[begin...].prefix { character in
            if let quote { return character != quote }
            return !",;&}]".contains(character) && !character.isNewline
        }
        defer { rest = rest[secret.endIndex...] }
        return rest[..<begin] + (secret.isEmpty ? "" : mask(secret))
    }
}
