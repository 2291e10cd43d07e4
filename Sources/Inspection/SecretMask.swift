package import Timelines

/// Hides push tokens and other secrets in what is shown of records.
///
/// A member of JSON is hidden by its name. In text that is no JSON, what follows such a name is hidden. In both, in ids
/// and in sentences credentials are hidden: the user of an address, what follows `Authorization:`, `Bearer` or `Basic`,
/// and `token=…`. In all of them, and in the names of members, every run of 32 or more hexadecimal digits is hidden: a
/// push token is one. Two things stay: a `traceparent` of W3C Trace Context, and ids of fewer than 64 digits, such as a
/// UUID without hyphens.
package enum SecretMask {
    private static let words = [
        "token", "secret", "password", "passwd", "authorization", "apikey", "api-key", "api_key", "credential",
        "privatekey", "private-key", "private_key",
    ]
    private static let digitsMin = 32
    /// The digits from which on an id is hidden, too: push tokens have as many.
    private static let idDigitsMin = 64
    /// The names under which Tideline's own messages have ids.
    private static let idNames: Set = [
        "configurationId", "configurationIds", "vehicleId", "calendarId", "calendarIds", "recipient", "uid",
    ]

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
        case .string(let text):
            if hides(name) { return .string(mask(text)) }
            return .string(masked(text, idNames.contains(name) ? idDigitsMin : digitsMin))
        case .array(let values): return .array(values.map { masked($0, named: name) })
        case .object(let members):
            return .object(
                Parameters(
                    members.members.map {
                        Parameters.Member(
                            key: masked($0.key, digitsMin),
                            value: masked($0.value, named: hides(name) ? name : $0.key))
                    }))
        }
    }

    /// An id or the key of a record, with what looks like a push token and all credentials in it masked.
    package static func masked(id: String) -> String { masked(id, idDigitsMin) }

    /// A sentence for people, with all credentials in it masked. Ids that it names stay.
    package static func masked(sentence: String) -> String { masked(sentence, idDigitsMin) }

    /// Text that is no JSON, with all secrets in it masked.
    package static func masked(text: String) -> String {
        var rest = Substring(text)
        var result = ""
        while !rest.isEmpty {
            if let credential = takeCredential(of: &rest, after: result.last) {
                result += credential
            } else if let word = words.first(where: { rest.prefix($0.count).lowercased() == $0 }) {
                result += rest.prefix(word.count)
                rest = rest.dropFirst(word.count)
                result += takeSecret(after: &rest)
            } else {
                result += takePiece(of: &rest, digitsMin)
            }
        }
        return result
    }

    private static func masked(_ text: String, _ digitsMin: Int) -> String {
        guard text.utf8.count >= digitsMin || mayHoldCredential(text) else { return text }
        var rest = Substring(text)
        var result = ""
        while !rest.isEmpty {
            if let credential = takeCredential(of: &rest, after: result.last) {
                result += credential
            } else {
                result += takePiece(of: &rest, digitsMin)
            }
        }
        return result
    }

    /// Takes a run of hexadecimal digits, masked if it is long, a trace context, or a character.
    private static func takePiece(of rest: inout Substring, _ digitsMin: Int) -> String {
        let digits = rest.prefix { isDigit($0) }
        let piece = digits.isEmpty ? rest.prefix(1) : traceContext(at: rest, digits) ?? digits
        defer { rest = rest[piece.endIndex...] }
        return digits.count >= digitsMin ? mask(piece) : String(piece)
    }

    /// The digits in the parts of a trace context: version, trace, parent and flags.
    private static let contextParts = [2, 32, 16, 2]

    private static func traceContext(at rest: Substring, _ version: Substring) -> Substring? {
        guard version.count == contextParts[0] else { return nil }
        let text = rest.prefix(contextParts.reduce(contextParts.count - 1, +))
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.count) == contextParts, parts.allSatisfy({ $0.allSatisfy(isDigit) }) else { return nil }
        return rest[text.endIndex...].first.map(isDigit) == true ? nil : text
    }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isHexDigit }

    /// Takes what belongs to a secret's name, `": "…"` or `=…`, and returns it with the secret masked.
    private static func takeSecret(after rest: inout Substring) -> String {
        let between = rest.prefix(64).prefix { $0.isLetter || "\\\"'_-".contains($0) || $0.isWhitespace }
        guard let sign = rest[between.endIndex...].first, sign == ":" || sign == "=" else { return "" }
        let value = rest[between.endIndex...].dropFirst().drop { $0.isWhitespace }
        let found = secret(at: value) { ",;&}]".contains($0) || $0.isNewline }
        defer { rest = rest[found.endIndex...] }
        return String(rest[..<found.startIndex]) + hidden(found)
    }
}
