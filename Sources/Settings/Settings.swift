// Settings: the settings of a process, from four sources, checked as a whole.
//
// It must not know the program's settings, nor read files and the environment: it is pure, and flags, environment and
// the file's text are handed in.
//
// Begin with SettingKey.swift: a program declares each setting once as a `SettingKey`, and gathers them in a
// `SettingsSchema`. Its `resolve` takes what the sources say, flags before environment before file before defaults, and
// makes `Settings` of it, or throws all problems at once. YAMLParser.swift reads the file.

/// The resolved settings of a process.
package struct Settings: Sendable {
    struct Entry: Sendable {
        let value: any Sendable
        /// The value as text for people.
        let text: String
        let source: SettingSource
        /// True if the text is that of a tree.
        let isTree: Bool
    }

    /// The entry of every declared key.
    let entries: [String: Entry]
    /// The entries under free prefixes, by full key.
    let free: [String: FreeEntry]
    /// Declared keys in the order of their declaration.
    let order: [String]

    struct FreeEntry: Sendable {
        let value: SettingText
        let source: SettingSource
    }

    /// The value of a setting of the schema that made these settings.
    package subscript<Value>(key: SettingKey<Value>) -> Value {
        guard let entry = entries[key.name], let value = entry.value as? Value else {
            preconditionFailure("\(key.name) is not a key of the schema")
        }
        return value
    }

    /// Returns the source of a declared key's value, or of one under a free prefix; `nil` for any other key.
    package func source(of key: String) -> SettingSource? {
        entries[key]?.source ?? free[key]?.source
    }

    /// Returns a declared key's value as text, a tree's as JSON; `nil` for any other key. Secrets are not hidden.
    package func text(of key: String) -> String? { entries[key]?.text }

    /// The keys whose values differ in other settings of the same schema, in the order of their declaration; then those
    /// under free prefixes, ascending.
    package func names(differingFrom other: Settings) -> [String] {
        let names = order + Set(free.keys).union(other.free.keys).sorted()
        return names.filter { name in
            entries[name]?.text != other.entries[name]?.text
                || free[name]?.value.description != other.free[name]?.value.description
        }
    }

    /// These settings with some values of others of the same schema.
    package func taking(over names: [String], from other: Settings) -> Settings {
        var entries = entries
        for name in names { entries[name] = other.entries[name] }
        return Settings(entries: entries, free: free, order: order)
    }

    /// Returns the values under a free prefix, by name without the prefix, ascending.
    package func values(under prefix: SettingPrefix) -> [(name: String, value: SettingText)] {
        free.keys.filter(prefix.covers).sorted().compactMap { key in
            free[key].map { (String(key.dropFirst(prefix.name.count + 1)), $0.value) }
        }
    }
}

extension Settings: CustomStringConvertible {
    /// A line per setting, `key = value (source)`, secrets hidden. Declared keys first, in their order.
    package var description: String {
        lines(of: order + free.keys.sorted())
    }

    /// The lines of ``description`` without the settings that have their defaults.
    package var nonDefaults: String {
        lines(of: order.filter { source(of: $0) != .default } + free.keys.sorted())
    }

    private func lines(of keys: [String]) -> String {
        keys.map { key in
            let source = source(of: key) ?? .default
            return "\(key) = \(shown(key) ?? "") (\(source))"
        }
        .joined(separator: "\n")
    }

    /// The value of a key as text for people, secrets hidden; `nil` if nobody knows the key.
    func shown(_ key: String) -> String? {
        guard let entry = entries[key] else { return free[key].map { Secrets.redact($0.value.description, of: key) } }
        return entry.isTree ? Secrets.redact(tree: entry.text) : Secrets.redact(entry.text, of: key)
    }
}

/// Values that no log, description or problem may show.
package enum Secrets {
    /// True if a key ends in `password`, `secret`, `token` or `headers`, in any case.
    package static func covers(_ key: String) -> Bool {
        let key = key.lowercased()
        return ["password", "secret", "token", "headers"].contains { key.hasSuffix($0) }
    }

    /// The text, or stars in its place. Nothing stays nothing. Passwords in addresses are stars in any text.
    package static func redact(_ text: String, of key: String) -> String {
        covers(key) && !text.isEmpty ? stars : masked(text)
    }

    /// The text of a tree with stars in place of what has the key of a secret, and of passwords in addresses.
    package static func redact(tree text: String) -> String {
        guard let tree = try? SettingTree(json: text) else { return masked(text) }
        let shown = redacted(tree)
        return masked(shown == tree ? text : shown.description)
    }

    /// A map under such a key is a declaration, such as that of a parameter of this name.
    private static func redacted(_ tree: SettingTree) -> SettingTree {
        switch tree.content {
        case .null, .bool, .number, .text: return tree
        case .list(let elements): return SettingTree(.list(elements.map { redacted($0) }), line: tree.line)
        case .map(let pairs):
            var shown: [(key: String, value: SettingTree)] = []
            for (key, value) in pairs {
                let isMap = if case .map = value.content { true } else { false }
                let isSecret = covers(key) && !isMap
                shown.append((key, isSecret ? SettingTree(.text(stars), line: value.line) : redacted(value)))
            }
            return SettingTree(.map(shown), line: tree.line)
        }
    }

    /// The text with stars in place of passwords: in `://NAME:PASSWORD@`, and behind `password=`.
    package static func masked(_ text: String) -> String {
        guard text.contains("@") || text.lowercased().contains("password=") else { return text }
        // Up to the last @: a password may hold others, and slashes.
        return text.replacing(/:\/\/([^:\/@?#\s"]*):[^\s"]*@/) { "://\($0.1):\(stars)@" }
            .replacing(/(?i)(password=)('[^']*'|[^\s&"]*)/) { "\($0.1)\(stars)" }
    }

    private static let stars = "********"
}
