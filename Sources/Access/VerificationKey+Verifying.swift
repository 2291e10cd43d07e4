internal import COpenSSL
import Crypto

extension VerificationKey {
    /// Returns whether the key has signed the message (RFC 7518 sections 3.2 to 3.4).
    func verifies(_ message: [UInt8], _ signature: [UInt8]) -> Bool {
        switch algorithm {
        case .HS256: TimingSafe.isEqual(HMAC.sha256(message, key: bytes), signature)
        case .RS256: verifiesByPublicKey(message, signature)
        case .ES256: Self.encoded(signature).map { verifiesByPublicKey(message, $0) } ?? false
        }
    }

    private func verifiesByPublicKey(_ message: [UInt8], _ signature: [UInt8]) -> Bool {
        defer { ERR_clear_error() }
        let key = bytes.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            guard let input = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { BIO_free(input) }
            return PEM_read_bio_PUBKEY(input, nil, nil, nil)
        }
        guard let key, let context = EVP_MD_CTX_new() else { preconditionFailure("a key that was written can be read") }
        defer {
            EVP_MD_CTX_free(context)
            EVP_PKEY_free(key)
        }
        return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// The signature as OpenSSL reads it: a SEQUENCE of r and s, which stand as 32 bytes each in a token.
    private static func encoded(_ signature: [UInt8]) -> [UInt8]? {
        guard signature.count == 64, let pair = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(pair) }
        let isSet = signature.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return false }
            // The pair owns both numbers from here on.
            return ECDSA_SIG_set0(pair, BN_bin2bn(start, 32, nil), BN_bin2bn(start + 32, 32, nil)) == 1
        }
        guard isSet else { return nil }
        var encoded = [UInt8](repeating: 0, count: Int(i2d_ECDSA_SIG(pair, nil)))
        let count = encoded.withUnsafeMutableBufferPointer { bytes in
            var position = bytes.baseAddress
            return i2d_ECDSA_SIG(pair, &position)
        }
        return Int(count) == encoded.count ? encoded : nil
    }
}
