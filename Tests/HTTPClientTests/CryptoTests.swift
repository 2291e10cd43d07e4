import Crypto
import Foundation
import TestSupport
import Testing

@Suite("Signatures")
struct CryptoTests {
    @Test("HMAC-SHA256 of RFC 4231's test cases 1, 2 and 6")
    func hmac() {
        func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }
        #expect(
            hex(HMAC.sha256(Array("Hi There".utf8), key: Array(repeating: 0x0b, count: 20)))
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        #expect(
            hex(HMAC.sha256(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8)))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        let long = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
        #expect(
            hex(HMAC.sha256(long, key: Array(repeating: 0xaa, count: 131)))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test("a signature of ES256 is r and s, 64 bytes, whatever the message")
    func signature() async throws {
        let text = try String(contentsOf: await PushIdentity().key, encoding: .utf8)
        let key = try P256.Signing.PrivateKey(pemRepresentation: text)
        // r or s begins with a zero byte once in 128 signatures.
        for number in 0..<500 { #expect(key.signature(for: Array("message \(number)".utf8)).count == 64) }
    }

    @Test("a key that is none, or of another curve, is refused in words")
    func wrongKeys() async throws {
        #expect(throws: CryptoError.self) { try P256.Signing.PrivateKey(pemRepresentation: "") }
        #expect(throws: CryptoError.self) { try P256.Signing.PrivateKey(pemRepresentation: "-----BEGIN KEY-----") }
        let directory = TemporaryDirectory.make("keys")
        let made = try await ProcessRunner.run(
            URL(filePath: "/usr/bin/openssl"),
            ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384", "-out", "other.pem"],
            directory: directory)
        try #require(made.succeeded)
        let other = try String(contentsOf: directory.appending(path: "other.pem"), encoding: .utf8)
        #expect {
            try P256.Signing.PrivateKey(pemRepresentation: other)
        } throws: {
            ($0 as? CryptoError)?.description == "is not one of the curve P-256"
        }
    }
}
