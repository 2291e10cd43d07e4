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
