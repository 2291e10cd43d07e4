import Crypto

enum StageTokens {
    /// The SHA-256 of a token, as the settings have it.
    static func digest(of token: String) -> String { SHA256.hash(Array(token.utf8)).hexadecimal }
}
