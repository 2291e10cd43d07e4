// Crypto: the two signatures that pushes and webhooks need, ES256 and HMAC-SHA256, by OpenSSL's libcrypto. Names are
// those of swift-crypto, as far as they go.
//
// Every call computes and returns; nothing here waits, and nothing is kept of a message.

/// Why a key cannot be used.
package struct CryptoError: Error, Hashable, Sendable, CustomStringConvertible {
    /// To follow "the key": "is not …".
    package var description: String

    init(_ description: String) {
        self.description = description
    }
}
