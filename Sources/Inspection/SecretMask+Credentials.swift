/// Credentials in the middle of other text: in addresses, in headers and behind names.
extension SecretMask {
    /// The names that hold a secret in the query of an address, besides those that `hides(_:)` knows.
    private static let queryNames: Set = ["key", "sig", "signature", "auth", "pass", "pwd"]

    /// False if the text certainly holds no credential. It is asked of each string of each record, so it reads bytes.
    static func mayHoldCredential(_ text: String) -> Bool {
        var previous: UInt8 = 0
        for byte in text.utf8 {
            switch byte {
            case ...UInt8(ascii: " "), UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: "\""), UInt8(ascii: "'"):
                return true
            case UInt8(ascii: ":"):
                // Times have digits before it.
                if !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(previous) { return true }
            default: break
            }
            previous = byte
        }
        return false
    }

    /// Takes what begins here up to the end of a credential, which is masked. Takes nothing and returns `nil` where no
    /// credential begins.
    ///
    /// - Parameter previous: the character before; a name begins only where none of its own characters is before it.
    static func takeCredential(of rest: inout Substring, after previous: Character?) -> String? {
        guard let secret = user(at: rest) ?? named(at: rest, after: previous), !secret.isEmpty else { return nil }
        defer { rest = rest[secret.endIndex...] }
        return String(rest[..<secret.startIndex]) + hidden(secret)
    }

    /// What is shown of a secret. One that is masked already stays as it is.
    static func hidden(_ secret: Substring) -> String {
        if secret.isEmpty { return "" }
        return mask(at: secret)?.endIndex == secret.endIndex ? String(secret) : mask(secret)
    }

    /// The secret that begins here: in quotes up to the quote that ends it, else up to where `isEnd` says so.
    static func secret(at text: Substring, until isEnd: (Character) -> Bool) -> Substring {
        if let masked = mask(at: text) { return masked }
        let backslashes = text.prefix { $0 == "\\" }
        guard let quote = text[backslashes.endIndex...].first, quote == "\"" || quote == "'" else {
            return text.prefix { !isEnd($0) }
        }
        let inner = text[backslashes.endIndex...].dropFirst()
        return mask(at: inner) ?? quoted(inner, by: quote, level: backslashes.count)
    }

    /// What stands here in place of a secret already; `nil` if nothing does.
    private static func mask(at text: Substring) -> Substring? {
        let (begin, end) = ("(masked, ", " bytes)")
        guard text.hasPrefix(begin) else { return nil }
        let count = text.dropFirst(begin.count).prefix { $0.isASCII && $0.isNumber }
        let behind = text[count.endIndex...]
        guard !count.isEmpty, behind.hasPrefix(end) else { return nil }
        return text[..<behind.index(behind.startIndex, offsetBy: end.count)]
    }

    /// The text up to the quote that ends it, not one that is escaped in it.
    ///
    /// - Parameter level: the backslashes before the quote that began it: JSON within JSON has `\"` in its place.
    private static func quoted(_ text: Substring, by quote: Character, level: Int) -> Substring {
        var backslashes = 0
        for index in text.indices {
            let character = text[index]
            let isEnd = backslashes <= level || (backslashes - level).isMultiple(of: 2 * (level + 1))
            if character == quote, isEnd { return text[..<text.index(index, offsetBy: -min(level, backslashes))] }
            backslashes = character == "\\" ? backslashes + 1 : 0
        }
        return text
    }

    // MARK: - Addresses

    /// So many characters of an address are looked at: one may follow the other without an end.
    private static let userMax = 1_000

    /// The user and the password of the address whose `://` is here.
    private static func user(at rest: Substring) -> Substring? {
        // JSON may escape slashes.
        guard rest.first == ":", let begin = ["://", #":\/\/"#].first(where: { rest.hasPrefix($0) }) else { return nil }
        let text = rest.dropFirst(begin.count).prefix(userMax).prefix { !$0.isWhitespace && !"\"<>".contains($0) }
        let user = text.prefix { !":/@?#".contains($0) }
        let password = text[user.endIndex...].dropFirst()
        guard text[user.endIndex...].first == ":", !user.hasPrefix("[") else { return nil }
        let port = password.prefix { $0.isASCII && $0.isNumber }
        if !port.isEmpty, let next = password[port.endIndex...].first, "/?#".contains(next) { return nil }
        // A password may hold slashes, though it should not.
        let host = text.prefix { !"/?#".contains($0) }
        return (host.lastIndex(of: "@") ?? text.lastIndex(of: "@")).map { text[..<$0] }
    }

    // MARK: - Names

    private static func isNameCharacter(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "_-.".contains(character)
    }

    /// The secret behind the name that begins here; `nil` if it is no name of a secret, or has no value.
    private static func named(at rest: Substring, after previous: Character?) -> Substring? {
        if let previous, isNameCharacter(previous) { return nil }
        let name = rest.prefix { isNameCharacter($0) }
        if name.isEmpty { return nil }
        let (word, behind) = (name.lowercased(), rest[name.endIndex...])
        if word == "bearer" || word == "basic" { return credentials(behind, isBasic: word == "basic") }
        let isInQuery = previous.map { "?&#;".contains($0) } == true
        guard hides(word) || isInQuery && (queryNames.contains(word) || word.hasSuffix("signature")) else { return nil }
        let quotes = behind.prefix { "\\\"'".contains($0) }
        let signed = behind[quotes.endIndex...].drop { $0.isWhitespace }
        guard let sign = signed.first, sign == ":" || sign == "=" else { return nil }
        let value = signed.dropFirst().drop { $0.isWhitespace }
        if word.hasSuffix("authorization") {
            // A header may be quoted as a whole.
            if quotes.isEmpty, let previous, previous == "\"" || previous == "'" {
                return mask(at: value) ?? quoted(value, by: previous, level: 0)
            }
            return secret(at: value) { $0.isNewline }
        }
        if !quotes.isEmpty, let first = value.first, "\\\"'".contains(first) || first.isNumber {
            return secret(at: value) { ",;}]".contains($0) || $0.isNewline }
        }
        guard behind.first == "=" else { return nil }
        return secret(at: behind.dropFirst()) { $0.isWhitespace || "&#\"<>".contains($0) }
    }

    /// What follows the name of a scheme of HTTP. Such a name may be a word of a sentence, too, and so a sentence that
    /// goes on is left alone.
    private static func credentials(_ behind: Substring, isBasic: Bool) -> Substring? {
        let text = behind.drop { $0.isWhitespace }
        if text.startIndex == behind.startIndex { return nil }
        if let masked = mask(at: text) { return masked }
        let secret = text.prefix { !$0.isWhitespace && !"\"'<>,;)".contains($0) }
        if isBasic { return isUserAndPassword(secret) ? secret : nil }
        let next = text[secret.endIndex...].drop { $0.isWhitespace }.first
        let isWord = secret.allSatisfy { $0.isLowercase } && next?.isLetter == true
        return isWord ? nil : secret
    }

    /// True if the text is `USER:PASSWORD` in Base64 (RFC 7617), which a word of a sentence hardly ever is.
    private static func isUserAndPassword(_ text: Substring) -> Bool {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var bits: UInt32 = 0
        var count = 0
        for byte in text.utf8 {
            guard let value = alphabet.firstIndex(of: byte) else { return false }
            bits = (bits << 6) | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            if UInt8(truncatingIfNeeded: bits >> UInt32(count)) == UInt8(ascii: ":") { return true }
        }
        return false
    }
}
