// Crypto: what pushes, webhooks and file names need of cryptography: ES256, HMAC-SHA256 and SHA-256, by OpenSSL.
//
// It must not know what is signed, nor who reads it; nothing of a message or a digest is kept. Every call computes and
// returns at once. Names are those of swift-crypto, as far as they go.
//
// Begin with P256.swift, which signs; Digests.swift has the two digests, TextForms.swift writes bytes as text.

/// The reason why a key cannot be used.
package struct CryptoError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rest of a sentence that begins with "the key", such as "is not one of the curve P-256".
    package var description: String

    init(_ description: String) {
        self.description = description
    }
}
