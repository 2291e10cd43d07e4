import Crypto
import Foundation
import TestSupport
import Testing

@Suite("Signatures")
struct CryptoTests {
    @Test("HMAC-SHA256 of RFC 4231's test cases 1, 2 and 6")
    func hmac() {
        #expect(
            HMAC.sha256(Array("Hi There".utf8), key: Array(repeating: 0x0b, count: 20)).hexadecimal
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        #expect(
            HMAC.sha256(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8)).hexadecimal
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        let long = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
        #expect(
            HMAC.sha256(long, key: Array(repeating: 0xaa, count: 131)).hexadecimal
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test("SHA-256 of FIPS 180-4's examples: no bytes, one block, two blocks, and a million bytes")
    func sha256() {
        #expect(
            SHA256.hash([]).hexadecimal == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            SHA256.hash(Array("abc".utf8)).hexadecimal
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        let twoBlocks = Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)
        #expect(
            SHA256.hash(twoBlocks).hexadecimal == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
        #expect(
            SHA256.hash(Array(repeating: UInt8(ascii: "a"), count: 1_000_000)).hexadecimal
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("bytes as text: hexadecimal, and base64 for addresses without padding")
    func textForms() {
        #expect([UInt8]().hexadecimal == "" && [0x00, 0x9a, 0xff].hexadecimal == "009aff")
        #expect([UInt8]().base64URL == "")
        // RFC 4648's vectors, and two bytes whose digits are the two that differ from base64's.
        for (text, encoded) in [("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE")] {
            #expect(Array(text.utf8).base64URL == encoded)
        }
        #expect([0xfb, 0xff, 0xfe].base64URL == "-__-")
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
