import Foundation

/// A JSON Web Key Set (RFC 7517 section 5).
struct KeySet {
    var keys: [VerificationKey] = []

    private struct Document: Decodable {
        var keys: [Key]
    }

    private struct Key: Decodable {
        var kty: String
        var kid: String?
        var use: String?
        var alg: String?
        var crv: String?
        var x: String?
        var y: String?
        var n: String?
        var e: String?
        var k: String?
        var d: String?
    }

    /// Keys for other uses and of other kinds are passed over, as the RFC wants; at least one must be left.
    init(_ text: String, setting: String) throws(AccessError) {
        let document: Document
        do {
            document = try JSONDecoder().decode(Document.self, from: Data(text.utf8))
        } catch {
            throw AccessError(
                setting: setting, message: #"is no JSON Web Key Set: an object with "keys", each with "kty""#)
        }
        for (index, key) in document.keys.enumerated() where key.use == nil || key.use == "sig" {
            let place = "\(setting) keys[\(index)]"
            guard key.d == nil else {
                throw AccessError(setting: place, message: "is a private key; only public ones belong here")
            }
            switch (key.kty, key.alg) {
            case ("EC", nil), ("EC", JWTAlgorithm.ES256.rawValue):
                guard key.crv == "P-256" else { continue }
                keys.append(
                    try VerificationKey(
                        x: Self.bytes(key.x, "x", place), y: Self.bytes(key.y, "y", place), id: key.kid,
                        setting: place))
            case ("RSA", nil), ("RSA", JWTAlgorithm.RS256.rawValue):
                keys.append(
                    try VerificationKey(
                        modulus: Self.bytes(key.n, "n", place), exponent: Self.bytes(key.e, "e", place), id: key.kid,
                        setting: place))
            case ("oct", JWTAlgorithm.HS256.rawValue):
                keys.append(
                    try VerificationKey(secret: Self.bytes(key.k, "k", place), id: key.kid, setting: place))
            default:
                continue
            }
        }
        guard !keys.isEmpty else {
            throw AccessError(setting: setting, message: "has no key for ES256, RS256 or HS256")
        }
    }

    private static func bytes(_ text: String?, _ name: String, _ place: String) throws(AccessError) -> [UInt8] {
        guard let text, let bytes = [UInt8](base64URL: text), !bytes.isEmpty else {
            throw AccessError(setting: place, message: "needs \(name) in base64url (RFC 7518 section 6)")
        }
        return bytes
    }
}
