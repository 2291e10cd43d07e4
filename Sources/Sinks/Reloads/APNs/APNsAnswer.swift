import HTTPClient
import Messages
import Timelines

/// An answer of Apple's push service by its meaning for the push (Apple, "Handling notification responses from
/// APNs").
enum APNsAnswer: Hashable {
    case accepted
    /// The token was valid until `since`; `nil` if Apple does not say.
    case gone(reason: String, since: Instant?)
    /// Something is wrong with this push; or with all, if many are answered so.
    case badRequest(Fault, reason: String)
    case expiredProviderToken
    /// The device gets too many.
    case tooMany(after: Duration?)
    /// All pushes have to wait.
    case teamThrottled(after: Duration?)
    case unavailable(reason: String, after: Duration?)
    /// All pushes would be refused: the key, the team, or the requests themselves.
    case refused(reason: String)

    init(_ response: HTTPClientResponse, wall: Instant, with parser: inout JSONParser) {
        if response.status == 200 {
            self = .accepted
            return
        }
        let body: Parameters? = try? response.body.decoded { (bytes) throws(MessageProblem) in
            try parser.object(bytes)
        }
        var reason = ""
        if case .string(let text) = body?["reason"] { reason = text }
        var since: Instant?
        if case .number(let text) = body?["timestamp"] { since = Int64(text).map { Instant(milliseconds: $0) } }
        let after = RetryAfter.delay(response, wall: wall)
        let named = reason.isEmpty ? "status \(response.status)" : "status \(response.status), \(reason)"
        self =
            switch (response.status, reason) {
            case (400, "IdleTimeout"): .unavailable(reason: named, after: after)
            case (400, _) where Self.ours.contains(reason): .refused(reason: named)
            case (400, _): .badRequest(.of(reason), reason: reason.isEmpty ? named : reason)
            case (403, "ExpiredProviderToken"): .expiredProviderToken
            case (410, _): .gone(reason: reason.isEmpty ? named : reason, since: since)
            case (429, "TooManyProviderTokenUpdates"): .teamThrottled(after: after)
            case (429, _): .tooMany(after: after)
            case (500..., _): .unavailable(reason: named, after: after)
            default: .refused(reason: named)
            }
    }

    /// The part of a registration that is wrong.
    enum Fault: Hashable {
        case token, topic, other

        /// The field of a configuration.
        var field: String {
            switch self {
            case .token: "push.token"
            case .topic: "push.topic"
            case .other: "push"
            }
        }

        fileprivate static func of(_ reason: String) -> Self {
            switch reason {
            case "BadDeviceToken", "DeviceTokenNotForTopic", "MissingDeviceToken": .token
            case "BadTopic", "MissingTopic", "TopicDisallowed": .topic
            default: .other
            }
        }
    }

    /// Headers and body are the same in every push.
    private static let ours: Set<String> = [
        "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "DuplicateHeaders", "InvalidPushType",
        "PayloadEmpty",
    ]
}

extension [UInt8] {
    /// Lends the bytes to a reader of messages.
    func decoded<Value>(
        _ read: (UnsafeRawBufferPointer) throws(MessageProblem) -> Value
    ) throws(MessageProblem) -> Value {
        try withUnsafeBytes { bytes in
            Result { () throws(MessageProblem) in try read(bytes) }
        }.get()
    }
}
