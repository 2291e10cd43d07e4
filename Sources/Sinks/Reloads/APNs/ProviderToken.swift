import Crypto
import Messages
import RecordLog

/// Mints the JSON web token that authorises pushes of a team (RFC 7519, ES256). One for the whole team: Apple counts
/// how often a team renews, not oftener than every 20 minutes and at least every 60.
struct ProviderToken {
    static let lifetime = Duration.seconds(50 * 60)

    private let settings: APNsSettings
    private var minted: (text: String, at: Duration)?
    /// Counts the tokens; names the one that a request carries.
    private(set) var number = 0
    /// This token was minted because Apple took the one before for too old, and nothing was accepted since.
    private var isReplacement = false

    init(_ settings: APNsSettings) {
        self.settings = settings
    }

    /// Returns the token of now.
    ///
    /// - Parameter wall: the time of issue.
    mutating func text(wall: Instant, now: Duration) -> String {
        if let minted, now - minted.at < Self.lifetime { return minted.text }
        let text = mint(issuedAt: wall.milliseconds / 1000)
        minted = (text, now)
        number += 1
        return text
    }

    /// Apple takes the token of this number for too old: the next request gets another, once.
    ///
    /// - Returns: false if that was tried already.
    mutating func expired(_ number: Int) -> Bool {
        if number < self.number || minted == nil { return true }
        if isReplacement { return false }
        isReplacement = true
        minted = nil
        return true
    }

    mutating func accepted(_ number: Int) {
        if number == self.number { isReplacement = false }
    }

    private func mint(issuedAt seconds: Int64) -> String {
        var header = JSONWriter()
        header.beginObject()
        header.string("alg", "ES256")
        header.string("kid", settings.keyId)
        header.endObject()
        var claims = JSONWriter()
        claims.beginObject()
        claims.string("iss", settings.teamId)
        claims.integer("iat", seconds)
        claims.endObject()
        let signed = header.bytes.base64URL + "." + claims.bytes.base64URL
        return signed + "." + settings.key.signature(for: Array(signed.utf8)).base64URL
    }
}
