/// How a device gets on with its server. The time of the last success is kept beside it, in each of the states.
public enum SyncStatus: Hashable, Sendable {
    /// Nothing was tried yet, or nothing is to be done.
    case idle
    /// A request is under way.
    case syncing
    /// The last request was answered.
    case success(at: Instant)
    /// The server cannot be reached, and so many records wait for it.
    case offline(pending: Int)
    /// The server answered with an error; the next try is at `retryAt`.
    case error(message: String, retryAt: Instant)
}

/// In JSON an object whose `state` is the name of the case: `{"state": "offline", "pending": 2}`.
extension SyncStatus: Codable {
    private enum CodingKeys: String, CodingKey { case state, at, pending, message, retryAt }

    private enum State: String, Codable { case idle, syncing, success, offline, error }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(State.self, forKey: .state) {
        case .idle: self = .idle
        case .syncing: self = .syncing
        case .success: self = .success(at: try container.decodeInstant(forKey: .at))
        case .offline: self = .offline(pending: try container.decode(Int.self, forKey: .pending))
        case .error:
            self = .error(
                message: try container.decode(String.self, forKey: .message),
                retryAt: try container.decodeInstant(forKey: .retryAt))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .idle: try container.encode(State.idle, forKey: .state)
        case .syncing: try container.encode(State.syncing, forKey: .state)
        case .success(let at):
            try container.encode(State.success, forKey: .state)
            try container.encodeInstant(at, forKey: .at)
        case .offline(let pending):
            try container.encode(State.offline, forKey: .state)
            try container.encode(pending, forKey: .pending)
        case .error(let message, let retryAt):
            try container.encode(State.error, forKey: .state)
            try container.encode(message, forKey: .message)
            try container.encodeInstant(retryAt, forKey: .retryAt)
        }
    }
}
