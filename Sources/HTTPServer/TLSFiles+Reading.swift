import Foundation

/// A certificate and its key, as text in PEM.
struct TLSTexts {
    var certificate: String
    var key: String
}

extension TLSFiles {
    /// Reads both files. Whether they belong together is found out when the server starts.
    func read() throws(HTTPServerError) -> TLSTexts {
        let texts = TLSTexts(
            certificate: try Self.text(certificate, "the TLS certificate"), key: try Self.text(key, "the TLS key"))
        guard texts.certificate.contains("-----BEGIN CERTIFICATE-----") else {
            throw HTTPServerError("the TLS certificate \(certificate) has no certificate in PEM")
        }
        guard texts.key.contains("PRIVATE KEY-----") else {
            throw HTTPServerError("the TLS key \(key) has no private key in PEM")
        }
        guard !texts.key.contains("ENCRYPTED") else {
            throw HTTPServerError("the TLS key \(key) has a passphrase; only a key without one can be used")
        }
        return texts
    }

    private static func text(_ path: String, _ name: String) throws(HTTPServerError) -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            let reason = FileManager.default.fileExists(atPath: path) ? "cannot be read" : "does not exist"
            throw HTTPServerError("\(name) \(path) \(reason)")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
