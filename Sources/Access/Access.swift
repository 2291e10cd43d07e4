// Access: who calls, and what that caller may do: bearer tokens and JSON Web Tokens, scopes, confinement.
//
// It must not know HTTP, routes or topics, nor read files: texts of settings go in once, then the value of an
// `Authorization` header goes in and a caller comes out. Nothing waits, and nothing here writes a token or a key.
//
// Begin with the caller below; `Authenticator` finds out who it is.

/// One who may call, and what that caller may do. What a caller may not see does not exist for it.
package struct Caller: Hashable, Sendable {
    /// The name in the settings or the token's subject, for logs.
    package var name: String
    package var scopes: Set<Scope>
    package var recipients: Confinement
    package var readers: Confinement
    /// The seconds since 1970 from which on the caller is none any more: what lasts, such as a stream, ends then.
    package var expiry: Int?

    package init(
        name: String, scopes: Set<Scope>, recipients: Confinement = .all, readers: Confinement = .all,
        expiry: Int? = nil
    ) {
        self.name = name
        self.scopes = scopes
        self.recipients = recipients
        self.readers = readers
        self.expiry = expiry
    }

    /// Everybody, where no credentials are configured.
    package static let anonymous = Caller(name: "anonymous", scopes: Set(Scope.allCases))

    package func may(_ scope: Scope) -> Bool { scopes.contains(scope) }
}

/// What a caller may do at all.
package enum Scope: String, CaseIterable, Hashable, Sendable {
    case read, write
}

/// The recipients or readers that exist for a caller.
package enum Confinement: Hashable, Sendable {
    case all
    case only(Set<String>)

    /// Ids are the same if their bytes are: Unicode has more than one way to write an "é", and Kafka keeps them apart.
    package func contains(_ id: String) -> Bool {
        switch self {
        case .all: true
        case .only(let ids): ids.firstIndex(of: id).map { ids[$0].utf8.elementsEqual(id.utf8) } ?? false
        }
    }

    /// The confinements that two optional lists make. Neither list: everything. One alone: nothing of the other kind,
    /// so that a token for a recipient does not show the positions of all readers.
    static func of(recipients: [String]?, readers: [String]?) -> (recipients: Confinement, readers: Confinement) {
        if recipients == nil, readers == nil { return (.all, .all) }
        return (.only(Set(recipients ?? [])), .only(Set(readers ?? [])))
    }
}

/// A setting that cannot be used: its name below `serve`, such as `tokens[1].sha256`, and a sentence about it.
package struct AccessError: Error, Hashable, Sendable, CustomStringConvertible {
    package var setting: String
    package var message: String

    package init(setting: String, message: String) {
        self.setting = setting
        self.message = message
    }

    package var description: String { "\(setting): \(message)" }
}

/// The reason why a call has no caller.
package enum AuthenticationFailure: Error, Hashable, Sendable {
    /// No credentials at all.
    case missing
    /// Not of the form `Bearer TOKEN` (RFC 6750 section 2.1).
    case notBearer
    /// Unknown, tampered with, of another algorithm, issuer or audience. Why is not told to the caller.
    case invalid
    case expired
    case notYetValid

    /// The value of `WWW-Authenticate` (RFC 6750 section 3).
    package var challenge: String {
        let realm = #"Bearer realm="tideline""#
        return switch self {
        case .missing: realm
        case .notBearer: realm + #", error="invalid_request", error_description="\#(sentence)""#
        case .invalid, .expired, .notYetValid:
            realm + #", error="invalid_token", error_description="\#(sentence)""#
        }
    }

    /// A sentence for the caller.
    package var sentence: String {
        switch self {
        case .missing: "The Authorization header with a bearer token is missing."
        case .notBearer: "The Authorization header must be Bearer and a token."
        case .invalid: "The token is not valid."
        case .expired: "The token has expired."
        case .notYetValid: "The token is not valid yet."
        }
    }
}
