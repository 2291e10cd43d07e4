import Crypto
import Foundation

@testable import Gateway

/// An operation of the OpenAPI document that the program carries.
struct Operation {
    var id: String
    var method: String
    var path: String
    /// Empty where everybody may call it.
    var scope: String
    /// The names of the query's parameters, ascending.
    var query: [String]

    /// Ascending by path and method.
    static func all() throws -> [Operation] {
        let data = Data(OpenAPIDocument.json)
        guard let document = try JSONSerialization.jsonObject(with: data) as? [String: Any],
            let paths = document["paths"] as? [String: [String: Any]]
        else { throw StageError("the document has no paths") }
        var operations: [Operation] = []
        for (path, item) in paths.sorted(by: { $0.key < $1.key }) {
            let shared = item["parameters"] as? [[String: Any]] ?? []
            for (method, value) in item.sorted(by: { $0.key < $1.key }) {
                guard let operation = value as? [String: Any], let id = operation["operationId"] as? String else {
                    continue
                }
                let security = operation["security"] as? [[String: [String]]] ?? [["bearer": ["read"]]]
                let parameters = (shared + (operation["parameters"] as? [[String: Any]] ?? [])).map {
                    resolved($0, document)
                }
                let query = parameters.filter { $0["in"] as? String == "query" }.compactMap { $0["name"] as? String }
                operations.append(
                    Operation(
                        id: id, method: method.uppercased(), path: path,
                        scope: security.first?["bearer"]?.first ?? "", query: query.sorted()))
            }
        }
        return operations
    }

    private static func resolved(_ node: [String: Any], _ document: [String: Any]) -> [String: Any] {
        guard let reference = node["$ref"] as? String else { return node }
        var target: Any? = document
        for part in reference.dropFirst(2).split(separator: "/") { target = (target as? [String: Any])?[String(part)] }
        return target as? [String: Any] ?? [:]
    }
}

/// JSON Web Tokens of the algorithm HS256 (RFC 7515), made without the program's own code.
enum WebToken {
    static let secret = "0123456789abcdef0123456789abcdef"

    static func make(_ claims: String) -> String {
        let signed = encoded(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)) + "." + encoded(Array(claims.utf8))
        return signed + "." + encoded(signature(of: Array(signed.utf8)))
    }

    private static func encoded(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    /// HMAC (RFC 2104) with SHA-256.
    private static func signature(of message: [UInt8]) -> [UInt8] {
        let key = Array(secret.utf8) + Array(repeating: 0, count: 64 - secret.utf8.count)
        let inner = SHA256.hash(key.map { $0 ^ 0x36 } + message)
        return SHA256.hash(key.map { $0 ^ 0x5c } + inner)
    }
}
