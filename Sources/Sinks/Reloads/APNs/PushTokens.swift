import Foundation
import Messages

/// Which configuration takes pushes where, and which tokens are retired.
///
/// A token is retired as of a moment. A configuration record that names it and is newer makes it valid again; so a
/// token that no configuration names needs no keeping, for whatever names it later is newer.
struct PushTokens {
    private struct Registration {
        var push: PushRegistration
        /// When the record was made, in milliseconds since 1970.
        var timestamp: Int64
    }

    private struct Token {
        /// What the ledger knows it by: tokens are written nowhere.
        let digest: String
        /// The configurations that name it.
        var configurations: Set<String> = []
        /// Of the newest record that named it.
        var newest = Int64.min
        var retiredAt: Int64?
    }

    private var registrations: [String: Registration] = [:]
    private var tokens: [String: Token] = [:]
    /// By digest, what the ledger kept and no configuration has named yet.
    private var restored: [String: Int64] = [:]
    private var unnamed: Set<String> = []
    private var changes: [String: [UInt8]?] = [:]

    // MARK: - Configurations

    mutating func register(_ id: String, _ push: PushRegistration, timestamp: Int64) {
        if let old = registrations[id], old.push.token != push.token { forget(id, old.push.token) }
        registrations[id] = Registration(push: push, timestamp: timestamp)
        var token = tokens[push.token] ?? makeToken(push.token)
        token.configurations.insert(id)
        token.newest = max(token.newest, timestamp)
        if let retiredAt = token.retiredAt, timestamp > retiredAt {
            token.retiredAt = nil
            changes[token.digest] = .some(nil)
        }
        tokens[push.token] = token
        unnamed.remove(push.token)
    }

    mutating func remove(_ id: String) {
        guard let old = registrations.removeValue(forKey: id) else { return }
        forget(id, old.push.token)
    }

    private mutating func makeToken(_ text: String) -> Token {
        var token = Token(digest: SHA256.hash(Array(text.utf8)).map { String(format: "%02x", $0) }.joined())
        token.retiredAt = restored.removeValue(forKey: token.digest)
        return token
    }

    private mutating func forget(_ id: String, _ token: String) {
        tokens[token]?.configurations.remove(id)
        if tokens[token]?.configurations.isEmpty == true { unnamed.insert(token) }
    }

    /// All partitions of the configurations have been read to one moment: what nobody names by then is forgotten.
    mutating func forgetUnnamed() {
        for text in unnamed {
            guard let token = tokens.removeValue(forKey: text), token.retiredAt != nil else { continue }
            changes[token.digest] = .some(nil)
        }
        unnamed.removeAll()
        for digest in restored.keys { changes[digest] = .some(nil) }
        restored.removeAll()
    }

    /// Nil where the configuration is unknown, or has no `push` that can be used.
    func registration(of id: String) -> PushRegistration? { registrations[id]?.push }

    /// A configuration names the token, and it is not retired.
    func isValid(_ token: String) -> Bool {
        tokens[token].map { !$0.configurations.isEmpty && $0.retiredAt == nil } ?? false
    }

    // MARK: - Retirement

    /// - Parameter moment: in milliseconds since 1970; nil: as of the newest record that names it.
    /// - Returns: the configurations that name the token, ascending; nil where a newer record keeps it valid.
    mutating func retire(_ text: String, asOf moment: Int64?) -> [String]? {
        guard var token = tokens[text] else { return [] }
        let moment = moment ?? token.newest
        guard token.newest <= moment else { return nil }
        token.retiredAt = moment
        tokens[text] = token
        changes[token.digest] = Array(String(moment).utf8)
        return token.configurations.sorted()
    }

    // MARK: - The ledger

    private static let prefix = "retired/"

    /// Before the first `register`.
    mutating func restore(_ key: String, _ value: [UInt8]) {
        guard key.hasPrefix(Self.prefix), let moment = Int64(String(decoding: value, as: UTF8.self)) else { return }
        restored[String(key.dropFirst(Self.prefix.count))] = moment
    }

    /// Ascending by key.
    mutating func takeChanges() -> [(key: String, value: [UInt8]?)] {
        defer { changes.removeAll() }
        return changes.sorted { $0.key < $1.key }.map { (Self.prefix + $0.key, $0.value) }
    }
}
