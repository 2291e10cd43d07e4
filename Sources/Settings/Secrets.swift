/// Values that no log, description or problem may show.
package enum Secrets {
    /// Whether a key ends in `password`, `secret` or `token`, in any case.
    package static func covers(_ key: String) -> Bool {
        let key = key.lowercased()
        return ["password", "secret", "token"].contains { key.hasSuffix($0) }
    }

    /// The text, or stars in its place. Nothing stays nothing.
    package static func redact(_ text: String, of key: String) -> String {
        covers(key) && !text.isEmpty ? "********" : text
    }
}
