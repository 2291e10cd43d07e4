internal import Foundation
public import Positions

/// The reason why a client cannot give what it was asked for.
public enum TidelineError: Error, Hashable, Sendable {
    /// No answer came: the device is offline, or the server is away.
    case unreachable(String)
    /// The server answered, and refused.
    case refused(Problem)
    /// The answer is not what the contract says; the text names the place and what is allowed.
    case unreadable(String)
    /// A file of the client cannot be read or written.
    case storage(String)
    /// The task that asked was cancelled.
    case cancelled
}

/// Problem details, as the server gives them (RFC 9457).
public struct Problem: Hashable, Sendable {
    /// A field that is refused.
    public struct Field: Hashable, Codable, Sendable {
        /// The place: a parameter, a header, or a path such as `items[3].observedAt`.
        public var field: String?
        /// The problem in words.
        public var message: String
        /// The values that are allowed.
        public var allowed: [String]?
    }

    /// The HTTP status.
    public var status: Int
    /// The name of the problem, such as `urn:tideline:problem:not-found`; `nil` if the answer had none.
    public var type: String?
    /// The problem in words, the same for each problem of this type.
    public var title: String
    /// This one in words.
    public var detail: String?
    /// The fields that are refused.
    public var errors: [Field]
    /// How long the server asks to wait before the next try.
    public var retryAfter: ElapsedTime?

    /// A problem of these parts.
    public init(
        status: Int, type: String? = nil, title: String, detail: String? = nil, errors: [Field] = [],
        retryAfter: ElapsedTime? = nil
    ) {
        self.status = status
        self.type = type
        self.title = title
        self.detail = detail
        self.errors = errors
        self.retryAfter = retryAfter
    }
}

extension TidelineError: CustomStringConvertible {
    /// One sentence or more for people.
    public var description: String {
        switch self {
        case .unreachable(let reason): "The server cannot be reached. \(reason)"
        case .refused(let problem): problem.description
        case .unreadable(let reason): "The server's answer cannot be read: \(reason)"
        case .storage(let reason): reason
        case .cancelled: "The task was cancelled."
        }
    }
}

extension Problem: CustomStringConvertible {
    /// The status, the title and all details, in one line.
    public var description: String {
        let fields = errors.map { field in
            let allowed = field.allowed.map { "; allowed: \($0.joined(separator: ", "))" } ?? ""
            return "\(field.field.map { "\($0) " } ?? "")\(field.message)\(allowed)"
        }
        return (["HTTP \(status): \(title)"] + (detail.map { [$0] } ?? []) + fields).joined(separator: ". ")
    }
}

extension Problem {
    /// The problem that an answer tells, with a title of its own where the body is none.
    init(_ response: TransportResponse) {
        struct Body: Decodable {
            var type: String?
            var title: String?
            var detail: String?
            var errors: [Field]?
        }
        let body = try? JSONDecoder().decode(Body.self, from: response.body)
        self.init(
            status: response.head.status, type: body?.type,
            title: body?.title ?? StatusTitle.title(of: response.head.status), detail: body?.detail,
            errors: body?.errors ?? [],
            retryAfter: response.head.retryAfter)
    }
}

extension Problem {
    /// True if a server of Tideline says that there is nothing here. Something before it, such as a proxy or the page
    /// of a hotel's network, gives the same status without the type.
    var isNotFound: Bool { status == 404 && type == "urn:tideline:problem:not-found" }

    /// True if the request was refused for what it says or for its size: it is refused again, whenever it is sent.
    var isOfContent: Bool { status == 413 || status == 422 && type?.hasPrefix("urn:tideline:problem:") == true }

    /// True if a server of Tideline says that the broker has the record, and its outcome is not committed yet.
    var isWaitTimedOut: Bool { status == 504 && type == "urn:tideline:problem:wait-timed-out" }
}

/// Words for an answer that has none.
private enum StatusTitle {
    static func title(of status: Int) -> String {
        switch status {
        case 300..<400: "The server sends the client elsewhere, and the client does not follow"
        case 401: "The token is missing or not valid"
        case 403: "The token does not permit this"
        case 404: "Not found"
        case 412: "The state has changed meanwhile"
        case 429: "Too many requests"
        case 500...: "The server has failed"
        default: "The server refuses"
        }
    }
}
