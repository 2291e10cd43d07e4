internal import COpenSSL

/// Keyed-hash message authentication codes (RFC 2104).
package enum HMAC {
    /// HMAC-SHA256: 32 bytes.
    package static func sha256(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        let result = COpenSSL.HMAC(
            EVP_sha256(), key, Int32(clamping: key.count), message, message.count, &code, &length)
        precondition(result != nil && length == 32, "SHA-256 gives 32 bytes")
        return code
    }
}
