import Crypto

/// The address that timelines go to, with fields in braces: `https://{recipient}.example/timelines/{configurationId}`.
/// Fields stand in the host, the path and the query, each escaped for its place.
///
/// An address with `{configurationId}` names one timeline, so it is put there and deleted from there. Any other names
/// somebody who is told of all of them by POST.
package struct TimelineAddress: Hashable, Sendable {
    /// What a field can stand for.
    package enum Field: String, CaseIterable, Sendable {
        case configurationId, recipient, kind, family
    }

    enum Part: Hashable {
        case host, path, query
    }

    enum Piece: Hashable {
        case text(String)
        case field(Field, Part)
    }

    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        package var description: String
    }

    /// As it was written. It may have a query that is a secret: it is shown to nobody.
    private let text: String
    let scheme: String
    /// The host, and the port if one is named.
    let authority: [Piece]
    /// The path and the query.
    let rest: [Piece]
    private let fields: Set<Field>

    package init(_ text: String) throws(Problem) {
        let (scheme, authority, path, query) = try Self.split(text)
        self.text = text
        self.scheme = scheme
        self.authority = try Self.pieces(authority, .host)
        rest = try Self.pieces(path, .path) + Self.pieces(query, .query)
        var fields: Set<Field> = []
        for case .field(let field, _) in self.authority + rest { fields.insert(field) }
        self.fields = fields
        // A label stands in for each field, of which nothing is inside that the whole host is not.
        let example = self.authority.map { piece in if case .text(let text) = piece { text } else { "x" } }.joined()
        do throws(WebhookURL.Problem) {
            _ = try WebhookURL("\(scheme)://\(example)/", form: Self.form)
        } catch {
            throw Problem(description: error.description)
        }
    }

    /// - Returns: `nil` if the text is of another scheme than HTTP's.
    package init?(ifHTTP text: String) throws(Problem) {
        guard ["http:", "https:"].contains(where: { text.lowercased().hasPrefix($0) }) else { return nil }
        try self.init(text)
    }

    /// The host alone, and what tells addresses of one host apart: path and query may be secrets.
    package var shown: String {
        let host = authority.map { piece in
            switch piece {
            case .text(let text): text
            case .field(let field, _): "{\(field.rawValue)}"
            }
        }
        return "\(scheme)://\(host.joined())/… (\(digest.prefix(8)))"
    }

    /// Distinguishes addresses in names: 16 hexadecimal digits.
    package var digest: String { Array(SHA256.hash(Array(text.utf8)).prefix(8)).hexadecimal }

    /// True if each configuration has an address of its own.
    package var namesConfiguration: Bool { fields.contains(.configurationId) }

    /// True if timelines go to several hosts or paths: what one place answers does not speak of all of them.
    var variesByTimeline: Bool {
        (authority + rest).contains { piece in
            switch piece {
            case .field(_, .host), .field(_, .path): true
            case .field(_, .query), .text: false
            }
        }
    }

    /// True if the configuration's id alone does not say where its timeline goes.
    var isRouted: Bool { fields != [.configurationId] && !fields.isEmpty }

    /// Checks that hosts which fields make are allowed by somebody.
    ///
    /// - Parameter place: the sink in the settings that may allow them; `nil` of one that the settings do not name.
    package func check(_ allowed: [AllowedHost], of place: String? = nil) throws(Problem) {
        guard case .field(let field, _)? = authority.first(where: { if case .field = $0 { true } else { false } }),
            allowed.isEmpty
        else { return }
        let list = suggestion.replacing(",", with: "', '")
        let names = place.map { "hosts: ['\(list)'] in \($0)" } ?? "--set 'sink.http.hosts=\(suggestion)'"
        throw Problem(
            description: "has {\(field.rawValue)} in its host, so the hosts that it may make have to be named: "
                + names)
    }

    /// The host with a star for its first label if the fields are in that.
    private var suggestion: String {
        let host = authority.map { piece in if case .text(let text) = piece { text } else { "{}" } }.joined()
        let labels = host.prefix { $0 != ":" }.split(separator: ".", omittingEmptySubsequences: false)
        let rest = labels.dropFirst().joined(separator: ".")
        return rest.isEmpty || rest.contains("{") ? "HOST,HOST" : "*.\(rest)"
    }

    // MARK: - Reading

    private static let form = "must be an address such as https://{recipient}.example/timelines/{configurationId}"

    private static func split(
        _ text: String
    ) throws(Problem) -> (scheme: String, authority: Substring, path: Substring, query: Substring) {
        guard let colon = text.firstRange(of: "://") else { throw Problem(description: form) }
        let scheme = text[..<colon.lowerBound].lowercased()
        guard ["http", "https"].contains(scheme) else { throw Problem(description: form) }
        let isWritten = text.unicodeScalars.allSatisfy { scalar in
            ("!"..."~").contains(scalar) && !["\"", "<", ">", "\\", "^", "`", "|"].contains(scalar)
        }
        guard isWritten else {
            throw Problem(description: "has a space or another character that no address has: percent-encode it")
        }
        let rest = text[colon.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        if authority.contains("@") || rest.contains("#") {
            throw Problem(description: "must be an address without user, password and fragment")
        }
        let behind = rest[authority.endIndex...]
        let path = behind.prefix { $0 != "?" }
        return (scheme, authority, path, behind[path.endIndex...])
    }

    private static func pieces(_ text: Substring, _ part: Part) throws(Problem) -> [Piece] {
        var pieces: [Piece] = []
        var rest = text
        while let open = rest.firstIndex(where: { "{}".contains($0) }) {
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else {
                throw Problem(description: "has a brace without its other: fields are \(names)")
            }
            let name = String(rest[rest.index(after: open)..<close])
            guard let field = Field(rawValue: name) else {
                throw Problem(description: "has an unknown field {\(name)}: fields are \(names)")
            }
            if open > rest.startIndex { pieces.append(.text(String(rest[..<open]))) }
            pieces.append(.field(field, part))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        return pieces
    }

    private static var names: String { Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ") }
}
