/// Entity tags and the conditions that name them (RFC 9110 sections 8.8.3 and 13.1).
///
/// The compressed form of a content has other bytes, so a strong tag must differ: the server sends `"7"` as `"7-gzip"`
/// then. Conditions take both for the same.
package enum EntityTag {
    private static let suffix = "-gzip\""

    static func ofGzip(_ tag: String) -> String {
        tag.hasSuffix("\"") && !tag.hasSuffix(suffix) ? tag.dropLast() + suffix : tag
    }

    private static func plain(_ tag: Substring) -> Substring {
        tag.hasSuffix(suffix) && tag.count > suffix.count ? tag.dropLast(suffix.count) + "\"" : tag
    }

    /// The tags of a list, each with its weakness, or `nil` for `*`.
    private static func list(_ value: String) -> [(isWeak: Bool, tag: Substring)]? {
        var tags: [(isWeak: Bool, tag: Substring)] = []
        var rest = Substring(value)
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
            if rest.first == "*" { return nil }
            let isWeak = rest.hasPrefix("W/")
            if isWeak { rest = rest.dropFirst(2) }
            guard rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") else { return tags }
            tags.append((isWeak, plain(rest[...end])))
            rest = rest[rest.index(after: end)...]
        }
    }

    /// Returns whether the value of `If-None-Match` names the tag: then a GET is answered with 304. The comparison is
    /// the weak one.
    package static func isNamed(_ tag: String, byIfNoneMatch value: String) -> Bool {
        let tag = tag.hasPrefix("W/") ? tag.dropFirst(2) : Substring(tag)
        return list(value).map { $0.contains { $0.tag == tag } } ?? true
    }

    /// Returns whether the value of `If-Match` names the tag; otherwise the request is answered with 412. The
    /// comparison is the strong one, and `*` names any.
    ///
    /// - Parameter tag: `nil` where there is nothing yet, which no value names.
    package static func isNamed(_ tag: String?, byIfMatch value: String) -> Bool {
        guard let tag else { return false }
        return list(value).map { $0.contains { !$0.isWeak && $0.tag == tag } } ?? true
    }
}
