internal import COpenSSL

/// The NIST curve P-256 (FIPS 186-4), on which ES256 signs.
package enum P256 {
    package enum Signing {}
}

extension P256.Signing {
    /// A private key. Signs only, so one thread may use it after another; not two at once.
    package final class PrivateKey {
        private let key: OpaquePointer

        /// - Parameter pemRepresentation: PKCS #8 as Apple's `.p8` files have it, or SEC 1; without a passphrase.
        package init(pemRepresentation text: String) throws(CryptoError) {
            var text = text
            let key = text.withUTF8 { bytes -> OpaquePointer? in
                guard let input = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
                defer { BIO_free(input) }
                // A passphrase would otherwise be asked for on the terminal.
                return PEM_read_bio_PrivateKey(input, nil, { _, _, _, _ in 0 }, nil)
            }
            ERR_clear_error()
            guard let key else { throw CryptoError("is no private key in PEM without a passphrase") }
            self.key = key
            guard Self.curve(of: key) == "prime256v1" else { throw CryptoError("is not one of the curve P-256") }
        }

        deinit {
            EVP_PKEY_free(key)
        }

        /// ECDSA over SHA-256 (ES256, RFC 7518 section 3.4): r and s, 32 bytes each, most significant first.
        package func signature(for message: [UInt8]) -> [UInt8] {
            let context = EVP_MD_CTX_new()
            defer { EVP_MD_CTX_free(context) }
            var length = 0
            var encoded = [UInt8](repeating: 0, count: 80)
            let isSigned =
                EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1
                && {
                    length = encoded.count
                    return EVP_DigestSign(context, &encoded, &length, message, message.count) == 1
                }()
            precondition(isSigned, "a key of P-256 signs any message")
            return Self.raw(Array(encoded[..<length]))
        }

        /// r and s out of the DER that OpenSSL makes: a SEQUENCE of two INTEGERs (RFC 3279 section 2.2.3).
        private static func raw(_ encoded: [UInt8]) -> [UInt8] {
            let signature = encoded.withUnsafeBufferPointer { bytes in
                var position = bytes.baseAddress
                return d2i_ECDSA_SIG(nil, &position, bytes.count)
            }
            defer { ECDSA_SIG_free(signature) }
            var raw = [UInt8](repeating: 0, count: 64)
            raw.withUnsafeMutableBufferPointer { bytes in
                guard let start = bytes.baseAddress else { return }
                let isWritten =
                    BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, 32) == 32
                    && BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + 32, 32) == 32
                precondition(isWritten, "r and s of P-256 fit into 32 bytes each")
            }
            return raw
        }

        private static func curve(of key: OpaquePointer) -> String {
            var name = [CChar](repeating: 0, count: 64)
            var length = 0
            guard EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else { return "" }
            return String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}
