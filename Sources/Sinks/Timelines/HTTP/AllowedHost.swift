/// A host that an address with a field in its host may make: exactly this one, or any with one label more, as
/// `*.example` says.
package struct AllowedHost: Hashable, Sendable {
    /// In small letters, without the star.
    private let name: String
    private let hasStar: Bool

    package static let allowed = "a host such as phones.example, or *.example for all with one label before that"

    /// - Returns: `nil` if the text is none: no star but for the whole first label, no port, letters of ASCII.
    package init?(_ text: String) {
        hasStar = text.hasPrefix("*.")
        name = String(hasStar ? text.dropFirst(2) : text[...]).lowercased()
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ Self.isLabel($0) }) else { return nil }
    }

    package var text: String { hasStar ? "*.\(name)" : name }

    /// True if this host may be made.
    package func allows(_ host: String) -> Bool {
        let host = host.lowercased()
        if !hasStar { return host == name }
        guard let dot = host.firstIndex(of: ".") else { return false }
        return dot > host.startIndex && host[host.index(after: dot)...] == name
    }

    /// A label in small letters (RFC 1123).
    static func isLabel(_ text: some StringProtocol) -> Bool {
        guard (1...63).contains(text.utf8.count), !text.hasPrefix("-"), !text.hasSuffix("-") else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }
    }
}
