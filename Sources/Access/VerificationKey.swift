internal import COpenSSL

/// The algorithms by which a token may be signed (RFC 7518 section 3.1).
enum JWTAlgorithm: String, CaseIterable, Sendable {
    case HS256, ES256, RS256
}

/// A key that verifies tokens, bound to one algorithm: so an RSA key in PEM never serves as the secret of an HMAC.
struct VerificationKey: Sendable {
    var algorithm: JWTAlgorithm
    /// The name by which a token's header asks for it; a key without one serves any token.
    var id: String?
    /// The secret, or the public key as text in PEM.
    var bytes: [UInt8]

    static let secretBytesMin = 32
    private static let bitsMin = 2048

    init(secret: [UInt8], id: String? = nil, setting: String) throws(AccessError) {
        guard secret.count >= Self.secretBytesMin else {
            throw AccessError(
                setting: setting, message: "must have \(Self.secretBytesMin) bytes at least, and has \(secret.count)")
        }
        algorithm = .HS256
        self.id = id
        bytes = secret
    }

    /// - Parameter pem: the text of a public key.
    init(pem: String, setting: String) throws(AccessError) {
        guard !pem.contains("PRIVATE KEY-----") else {
            throw AccessError(setting: setting, message: "is a private key; only the public one belongs here")
        }
        var text = pem
        let key = text.withUTF8 { bytes -> OpaquePointer? in
            guard let input = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
            defer { BIO_free(input) }
            return PEM_read_bio_PUBKEY(input, nil, { _, _, _, _ in 0 }, nil)
        }
        ERR_clear_error()
        guard let key else { throw AccessError(setting: setting, message: "is no public key in PEM") }
        defer { EVP_PKEY_free(key) }
        try self.init(key, id: nil, setting: setting)
    }

    /// A public key of the curve P-256, by the coordinates of its point.
    init(x: [UInt8], y: [UInt8], id: String?, setting: String) throws(AccessError) {
        guard x.count == 32, y.count == 32 else {
            throw AccessError(setting: setting, message: "x and y must be 32 bytes each")
        }
        // An uncompressed point (SEC 1 section 2.3.3).
        let point = [4] + x + y
        // OpenSSL keeps addresses of names and values alike, until it has made the key.
        let key = point.withUnsafeBufferPointer { point in
            Self.key("EC") { builder in
                OSSL_PARAM_BLD_push_utf8_string(builder, Self.text("group"), Self.text("prime256v1"), 0) == 1
                    && OSSL_PARAM_BLD_push_octet_string(builder, Self.text("pub"), point.baseAddress, point.count) == 1
            }
        }
        guard let key else { throw AccessError(setting: setting, message: "is no point of the curve P-256") }
        defer { EVP_PKEY_free(key) }
        try self.init(key, id: id, setting: setting)
    }

    /// A public RSA key, by its modulus and exponent.
    init(modulus: [UInt8], exponent: [UInt8], id: String?, setting: String) throws(AccessError) {
        let n = BN_bin2bn(modulus, Int32(modulus.count), nil)
        let e = BN_bin2bn(exponent, Int32(exponent.count), nil)
        defer {
            BN_free(n)
            BN_free(e)
        }
        let key = Self.key("RSA") { builder in
            OSSL_PARAM_BLD_push_BN(builder, Self.text("n"), n) == 1
                && OSSL_PARAM_BLD_push_BN(builder, Self.text("e"), e) == 1
        }
        guard let key else { throw AccessError(setting: setting, message: "n and e make no RSA key") }
        defer { EVP_PKEY_free(key) }
        try self.init(key, id: id, setting: setting)
    }

    private init(_ key: OpaquePointer, id: String?, setting: String) throws(AccessError) {
        self.id = id
        if EVP_PKEY_is_a(key, "RSA") == 1 {
            guard EVP_PKEY_get_bits(key) >= Self.bitsMin else {
                throw AccessError(setting: setting, message: "is an RSA key of less than \(Self.bitsMin) bits")
            }
            algorithm = .RS256
        } else if EVP_PKEY_is_a(key, "EC") == 1, Self.isP256(key) {
            algorithm = .ES256
        } else {
            throw AccessError(setting: setting, message: "must be an RSA key or one of the curve P-256")
        }
        bytes = Self.pem(key)
    }

    private static func isP256(_ key: OpaquePointer) -> Bool {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else { return false }
        return name.prefix(length).elementsEqual("prime256v1".utf8.map { CChar(bitPattern: $0) })
    }

    /// A text that stays where it is for ever.
    private static func text(_ text: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    /// Makes a public key of its parameters; `nil` where OpenSSL does not take them.
    private static func key(_ type: String, _ push: (OpaquePointer) -> Bool) -> OpaquePointer? {
        defer { ERR_clear_error() }
        guard let builder = OSSL_PARAM_BLD_new() else { return nil }
        defer { OSSL_PARAM_BLD_free(builder) }
        guard push(builder), let parameters = OSSL_PARAM_BLD_to_param(builder) else { return nil }
        defer { OSSL_PARAM_free(parameters) }
        guard let context = EVP_PKEY_CTX_new_from_name(nil, type, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1,
            EVP_PKEY_fromdata(context, &key, copenssl_public_key, parameters) == 1
        else { return nil }
        return key
    }

    /// The text of a public key, as libjwt reads it.
    private static func pem(_ key: OpaquePointer) -> [UInt8] {
        guard let output = BIO_new(BIO_s_mem()) else { preconditionFailure("no memory for a key") }
        defer { BIO_free(output) }
        precondition(PEM_write_bio_PUBKEY(output, key) == 1, "a public key can be written")
        var text = [UInt8](repeating: 0, count: BIO_ctrl_pending(output))
        let count = BIO_read(output, &text, Int32(text.count))
        precondition(count == text.count, "the memory has the whole key")
        return text
    }
}
