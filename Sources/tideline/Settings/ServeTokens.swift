import Access
import Settings

extension SettingType<[AccessSettings.Token]> {
    /// Declarations of bearer tokens. What Access says of them is asked for here, so that it stands among all problems.
    static var tokens: Self {
        .tree(allowed: "a list of tokens {name, sha256, scopes, recipients?, readers?}, in flags and variables as JSON")
        {
            tree throws(SettingTree.Problems) in
            switch tree.content {
            case .null: return []
            case .list(let elements):
                var reading = TokenReading()
                let tokens = elements.enumerated().compactMap { reading.token($1, at: String($0)) }
                guard reading.problems.isEmpty else { throw SettingTree.Problems(reading.problems) }
                return tokens
            default: throw SettingTree.Problems([.init(path: [], "must be a list of tokens")])
            }
        }
    }
}

/// Reads tokens to their end, also behind one that is wrong.
private struct TokenReading {
    var problems: [SettingTree.Problem] = []

    private static let keys = ["name", "sha256", "scopes", "recipients", "readers"]

    mutating func token(_ tree: SettingTree, at index: String) -> AccessSettings.Token? {
        guard case .map(let pairs) = tree.content else {
            problems.append(.init(path: [index], "must be a map of \(Self.keys.joined(separator: ", "))"))
            return nil
        }
        let before = problems.count
        for pair in pairs where !Self.keys.contains(pair.key) {
            problems.append(
                .init(path: [index, pair.key], "is unknown; allowed are \(Self.keys.joined(separator: ", "))"))
        }
        let members = Dictionary(pairs.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
        let token = AccessSettings.Token(
            name: text(members["name"], [index, "name"]), sha256: text(members["sha256"], [index, "sha256"]),
            scopes: texts(members["scopes"], [index, "scopes"]) ?? [],
            recipients: texts(members["recipients"], [index, "recipients"]),
            readers: texts(members["readers"], [index, "readers"]))
        guard problems.count == before else { return nil }
        do throws(AccessError) {
            _ = try Authenticator(AccessSettings(tokens: [token]))
            return token
        } catch {
            // Access names the first of the tokens that it got.
            let field = error.setting.drop { $0 != "." }.dropFirst()
            problems.append(.init(path: [index] + (field.isEmpty ? [] : [String(field)]), error.message))
            return nil
        }
    }

    private mutating func text(_ tree: SettingTree?, _ path: [String]) -> String {
        if case .text(let text) = tree?.content { return text }
        // A digest of digits alone is a number in YAML.
        if case .number(let text) = tree?.content { return text }
        problems.append(.init(path: path, "must be a text"))
        return ""
    }

    private mutating func texts(_ tree: SettingTree?, _ path: [String]) -> [String]? {
        guard let tree else { return nil }
        guard case .list(let elements) = tree.content else {
            problems.append(.init(path: path, "must be a list of texts"))
            return nil
        }
        return elements.enumerated().map { text($1, path + [String($0)]) }
    }
}
