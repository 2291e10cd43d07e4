import Messages

extension TimelineAddress {
    /// True if a text, such as the page of a server that repeats the request, shows a part of the address that may be a
    /// secret: a value of its query, or a long part of its path, as they were written or decoded.
    func isShown(in text: String) -> Bool {
        possibleSecrets.contains { secret in
            text.contains(secret) || String(secret).percentDecoded.map { text.contains($0) } ?? false
        }
    }

    /// The beginning of a header `Location` without what may be a secret of the target: user, password, query and
    /// fragment.
    static func shown(location: String) -> String {
        var text = location.prefix { !"?#".contains($0) }
        let start = text.firstRange(of: "//")?.upperBound ?? text.startIndex
        if let end = text[start...].prefix(while: { $0 != "/" }).lastIndex(of: "@") {
            text.replaceSubrange(start...end, with: "")
        }
        let words = text.prefix(200).split { $0.isWhitespace || $0 == "\0" }
        return words.joined(separator: " ")
    }

    /// The path with its fields, without what of it may be a secret.
    var shownPath: String {
        let pieces = rest.map { piece in
            switch piece {
            case .text(let text): text
            case .field(let field, _): "{\(field.rawValue)}"
            }
        }
        return Self.shown(path: pieces.joined())
    }

    /// Returns a path, with `…` in place of its long parts and of a query behind it, for each of them may be a secret.
    static func shown(path text: String) -> String {
        let path = text.prefix { !"?#".contains($0) }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            let literal = Field.allCases.reduce(String(part)) { $0.replacing("{\($1.rawValue)}", with: "") }
            return literal.utf8.count < longPath ? String(part) : "…"
        }
        return (path.isEmpty ? "/" : parts.joined(separator: "/")) + (path.endIndex == text.endIndex ? "" : "?…")
    }

    /// The fields of a timeline in it are none.
    private var possibleSecrets: [Substring] {
        let literals = rest.map { piece in
            switch piece {
            case .text(let text): text
            case .field: Self.fieldMark
            }
        }
        let halves = literals.joined().split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = halves.count > 1 ? halves[1] : ""
        let values = query.split(separator: "&").compactMap {
            $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).last
        }
        return Self.parts(of: halves[0].split(separator: "/"), atLeast: Self.longPath)
            + Self.parts(of: values, atLeast: Self.longValue)
    }

    private static func parts(of texts: [Substring], atLeast count: Int) -> [Substring] {
        texts.flatMap { $0.split(separator: fieldMark) }.filter { $0.utf8.count >= count }
    }

    private static var fieldMark: String { "\u{0}" }
    /// A shorter one is a word of many pages, such as `timelines`, and no secret.
    private static var longPath: Int { 12 }
    private static var longValue: Int { 4 }
}
