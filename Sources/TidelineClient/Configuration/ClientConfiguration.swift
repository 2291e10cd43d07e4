public import Foundation
public import Positions

/// A client's configuration: its server, the reader, and the folder in which it keeps things.
public struct ClientConfiguration: Sendable {
    /// The address of the server, such as `https://tideline.example`; a path stands before those of the server.
    public var baseURL: URL
    /// The secret that the server wants to see; `nil` if it wants none.
    public var token: BearerToken?
    /// The reader whose positions are kept.
    public var readerId: String
    /// This device, by a name that no other device of the reader has. `nil` stands for a name by chance, which is made
    /// once and kept in `directory`.
    public var deviceId: String?
    /// The folder for the cache and the journals. An app and its widgets name that of their app group.
    public var directory: URL
    /// The switches and bounds.
    public var settings = ClientSettings()
    /// The way to the server.
    public var transport: any HTTPTransport
    /// The clock of the device.
    public var clock: any ClientClock = SystemClock()
    /// Chance, for retries.
    public var random: RandomNumber = SystemClock.random
    /// The measure of how alike two texts are, for places that are looked for by their content.
    public var similarity: any TextSimilarity = JaccardSimilarity()
    /// Is called with a line for each request while `settings.debug` is on. Tokens and bodies are never in it.
    public var log: (@Sendable (String) -> Void)?

    /// A configuration of what has no default.
    public init(
        baseURL: URL, token: BearerToken? = nil, readerId: String, deviceId: String? = nil, directory: URL,
        transport: any HTTPTransport = URLSessionTransport()
    ) {
        self.baseURL = baseURL
        self.token = token
        self.readerId = readerId
        self.deviceId = deviceId
        self.directory = directory
        self.transport = transport
    }

    /// - Throws: every member that cannot be used, and what is allowed.
    func check() throws(ConfigurationProblems) {
        var problems: [ConfigurationProblem] = []
        if !["http", "https"].contains(baseURL.scheme?.lowercased()) || (baseURL.host ?? "").isEmpty {
            problems.append(.init(key: "baseURL", "must be an address of http or https with a host"))
        } else if baseURL.query != nil || baseURL.fragment != nil {
            problems.append(.init(key: "baseURL", "must have no query and no fragment"))
        }
        if baseURL.user != nil || baseURL.password != nil {
            problems.append(.init(key: "baseURL", "must have no user and no password; use token"))
        }
        if token?.isSendable == false {
            problems.append(.init(key: "token", "must be one or more visible ASCII characters (RFC 6750)"))
        }
        for (key, name) in [("readerId", readerId), ("deviceId", deviceId ?? "-")] where !PositionLimits.isName(name) {
            problems.append(.init(key: key, PositionLimits.names))
        }
        if !directory.isFileURL { problems.append(.init(key: "directory", "must be a folder of this device")) }
        guard problems.isEmpty else { throw ConfigurationProblems(problems) }
    }
}

extension BearerToken {
    /// True if the token can stand in a header.
    fileprivate var isSendable: Bool { !text.isEmpty && text.utf8.allSatisfy { 0x21...0x7E ~= $0 } }
}
