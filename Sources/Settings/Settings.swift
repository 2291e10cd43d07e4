/// The settings of a process, from four sources, checked as a whole.
///
/// The program declares each setting once, as a ``SettingKey``, and gathers them in a ``SettingsSchema``. The schema
/// resolves what the sources say, flags before environment before file before defaults, into ``Settings``, or throws
/// all problems at once. Everything is pure: flags, environment and the file's text are handed in.
package struct Settings: Sendable {
    struct Entry: Sendable {
        let value: any Sendable
        /// The value as text, for people.
        let text: String
        let source: SettingSource
    }

    /// By key; every declared key is there.
    let entries: [String: Entry]
    /// What was found under free prefixes, by full key.
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

    /// Where the value of a declared key, or of one under a free prefix, comes from; `nil` for any other.
    package func source(of key: String) -> SettingSource? {
        entries[key]?.source ?? free[key]?.source
    }

    /// What was set under a free prefix, without the prefix, sorted by name.
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

    /// As ``description``, without the settings that have their defaults.
    package var nonDefaults: String {
        lines(of: order.filter { source(of: $0) != .default } + free.keys.sorted())
    }

    private func lines(of keys: [String]) -> String {
        keys.map { key in
            let text = entries[key]?.text ?? free[key]?.value.description ?? ""
            let source = source(of: key) ?? .default
            return "\(key) = \(Secrets.redact(text, of: key)) (\(source))"
        }
        .joined(separator: "\n")
    }
}
