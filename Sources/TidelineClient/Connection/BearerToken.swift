/// The secret that a client shows to its server. No description of it shows its text.
public struct BearerToken: Sendable, ExpressibleByStringLiteral, CustomStringConvertible, CustomReflectable {
    let text: String

    /// A token as the server's settings or a login gave it.
    public init(_ text: String) {
        self.text = text
    }

    public init(stringLiteral text: String) {
        self.init(text)
    }

    /// The word `token`, whatever the token is.
    public var description: String { "token" }

    /// No members, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
