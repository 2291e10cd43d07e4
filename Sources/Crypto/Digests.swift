internal import COpenSSL

/// The Secure Hash Algorithm with 256 bits (FIPS 180-4).
package enum SHA256 {
    /// Returns the digest of the message: 32 bytes.
    package static func hash(_ message: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        let result = EVP_Digest(message, message.count, &digest, &length, EVP_sha256(), nil)
        precondition(result == 1 && length == 32, "SHA-256 gives 32 bytes")
        return digest
    }
}

/// Keyed-hash message authentication codes (RFC 2104).
package enum HMAC {
    /// Returns the HMAC-SHA256 of the message: 32 bytes.
    package static func sha256(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        let result = COpenSSL.HMAC(
            EVP_sha256(), key, Int32(clamping: key.count), message, message.count, &code, &length)
        precondition(result != nil && length == 32, "SHA-256 gives 32 bytes")
        return code
    }
}
