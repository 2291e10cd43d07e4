import Foundation
import TestSupport

/// Keys and tokens that Python's `cryptography` has made: nothing of the code under test is in them.
struct SignedTokens: Decodable {
    /// By name, as the script below has them.
    var tokens: [String: String]
    var rsaPEM: String
    var ecPEM: String
    var smallRSAPEM: String
    var p384PEM: String
    var jwks: String
    var privateJWKS: String

    static let secret = "a secret of thirty-two bytes or more"
    /// The time at which most of the tokens are valid: they expire 600 seconds later.
    static let now = 1_800_000_000

    static let made = Task {
        let result = try await ProcessRunner.run(
            PackageRoot.url.appending(path: "Scripts/python"), ["-c", script, secret, String(now)])
        guard result.succeeded else { throw TestBrokerError(result.standardError) }
        return try JSONDecoder().decode(SignedTokens.self, from: Data(result.standardOutput.utf8))
    }

    private static let script = #"""
        import base64, hashlib, hmac, json, sys
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
        from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

        secret, now = sys.argv[1].encode(), int(sys.argv[2])
        b64 = lambda data: base64.urlsafe_b64encode(data).rstrip(b"=").decode()
        number = lambda n, size: b64(n.to_bytes(size, "big"))
        rsa_key = rsa.generate_private_key(65537, 2048)
        ec_key, other_ec = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))

        def pem(key):
            return key.public_key().public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()

        def sign(alg, message, key):
            if alg == "HS256":
                return hmac.new(key or secret, message, hashlib.sha256).digest()
            if alg == "RS256":
                return (key or rsa_key).sign(message, padding.PKCS1v15(), hashes.SHA256())
            if alg == "ES256":
                r, s = decode_dss_signature((key or ec_key).sign(message, ec.ECDSA(hashes.SHA256())))
                return r.to_bytes(32, "big") + s.to_bytes(32, "big")
            return b""

        def token(alg, key=None, header={}, remove=(), **claims):
            body = {"iss": "issuer", "aud": "tideline", "sub": "anna", "exp": now + 600, "scope": "read write"}
            body.update(claims)
            for name in remove:
                del body[name]
            parts = [b64(json.dumps(part).encode()) for part in ({"alg": alg, "typ": "JWT", **header}, body)]
            message = ".".join(parts).encode()
            return message.decode() + "." + b64(sign(alg, message, key))

        tokens = {alg: token(alg) for alg in ("HS256", "RS256", "ES256")}
        tokens |= {alg + " access": token(alg, header={"typ": "at+JWT"}) for alg in list(tokens)}
        for name in list(tokens):
            head, body, code = tokens[name].split(".")
            changed = json.loads(base64.urlsafe_b64decode(body + "=="))
            changed["sub"] = "eve"
            tokens[name + " tampered"] = f"{head}.{b64(json.dumps(changed).encode())}.{code}"
            tokens[name + " without signature"] = f"{head}.{body}."
            tokens[name + " cut"] = f"{head}.{body}.{code[:-6]}"
        tokens["none"] = token("none")
        tokens["None"] = token("None")
        tokens["HS384"] = token("HS384")
        tokens["confused RSA"] = token("HS256", key=pem(rsa_key).encode())
        tokens["confused EC"] = token("HS256", key=pem(ec_key).encode())
        tokens["empty secret"] = token("HS256", key=b"\0")
        tokens["other key"] = token("ES256", key=other_ec)
        tokens["kid"] = token("ES256", header={"kid": "ec-1"})
        tokens["RSA kid"] = token("RS256", header={"kid": "rsa-1"})
        tokens["wrong kid"] = token("ES256", header={"kid": "rsa-1"})
        tokens["unknown kid"] = token("ES256", header={"kid": "gone"})
        tokens["other type"] = token("HS256", header={"typ": "dpop+jwt"})
        tokens["other key access"] = token("ES256", key=other_ec, header={"typ": "at+jwt"})
        tokens["confused access"] = token("HS256", key=pem(rsa_key).encode(), header={"typ": "at+jwt"})
        tokens["no type"] = token("HS256", header={"typ": None})
        tokens["crit"] = token("HS256", header={"crit": ["b64"], "b64": False})
        tokens["no exp"] = token("HS256", remove=["exp"])
        tokens["exp text"] = token("HS256", exp=str(now + 600))
        tokens["fraction"] = token("HS256", exp=now + 0.5)
        tokens["not yet"] = token("HS256", nbf=now + 300)
        tokens["other issuer"] = token("HS256", iss="eve")
        tokens["no issuer"] = token("HS256", remove=["iss"])
        tokens["other audience"] = token("HS256", aud="elsewhere")
        tokens["audiences"] = token("HS256", aud=["elsewhere", "tideline"])
        tokens["no audience"] = token("HS256", remove=["aud"])
        tokens["no scope"] = token("HS256", remove=["scope"])
        tokens["read"] = token("HS256", scope="openid read")
        tokens["confined"] = token("HS256", recipients=["phone"], readers=["anna"])
        tokens["recipients alone"] = token("HS256", recipients=["phone"])
        tokens["recipients text"] = token("HS256", recipients="phone")

        n, point = rsa_key.public_key().public_numbers(), ec_key.public_key().public_numbers()
        rsa_jwk = {"kty": "RSA", "kid": "rsa-1", "alg": "RS256", "n": number(n.n, 256), "e": number(n.e, 3)}
        ec_jwk = {"kty": "EC", "kid": "ec-1", "use": "sig", "crv": "P-256",
                  "x": number(point.x, 32), "y": number(point.y, 32)}
        others = [{"kty": "OKP", "crv": "Ed25519", "x": "AA"}, {"kty": "RSA", "use": "enc", "n": "AA", "e": "AQAB"}]
        private = {**ec_jwk, "d": number(ec_key.private_numbers().private_value, 32)}
        print(json.dumps({
            "tokens": tokens, "rsaPEM": pem(rsa_key), "ecPEM": pem(ec_key),
            "smallRSAPEM": pem(rsa.generate_private_key(65537, 1024)),
            "p384PEM": pem(ec.generate_private_key(ec.SECP384R1())),
            "jwks": json.dumps({"keys": others + [rsa_jwk, ec_jwk]}),
            "privateJWKS": json.dumps({"keys": [private]})}))
        """#
}
