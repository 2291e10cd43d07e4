internal import CHiredis

/// The reply to one command.
package enum RedisReply: Hashable, Sendable {
    case nothing
    case integer(Int64)
    /// A line such as `OK`.
    case status(String)
    case bytes([UInt8])
    case list([RedisReply])
    case error(RedisError)

    init(_ reply: redisReply) {
        switch reply.type {
        case REDIS_REPLY_INTEGER: self = .integer(reply.integer)
        case REDIS_REPLY_STATUS: self = .status(Self.text(reply))
        case REDIS_REPLY_ERROR: self = .error(RedisError(reply: Self.text(reply)))
        case REDIS_REPLY_STRING:
            self = .bytes(Array(UnsafeRawBufferPointer(start: reply.str, count: reply.len)))
        case REDIS_REPLY_ARRAY:
            self = .list((0..<reply.elements).map { reply.element[$0].map { RedisReply($0.pointee) } ?? .nothing })
        default: self = .nothing
        }
    }

    private static func text(_ reply: redisReply) -> String {
        String(decoding: UnsafeRawBufferPointer(start: reply.str, count: reply.len), as: UTF8.self)
    }

    fileprivate static func error(in reply: redisReply) -> RedisError? {
        reply.type == REDIS_REPLY_ERROR ? RedisError(reply: text(reply)) : nil
    }

    /// The bytes as UTF-8, or the line; `nil` of anything else.
    package var text: String? {
        switch self {
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .status(let line): line
        default: nil
        }
    }

    package var list: [RedisReply]? {
        if case .list(let elements) = self { elements } else { nil }
    }

    package var error: RedisError? {
        if case .error(let error) = self { error } else { nil }
    }
}

/// What a reply says of success alone.
package enum RedisConfirmation: Hashable, Sendable {
    case done
    case nothing
    /// The error, or the first one within a list.
    case error(RedisError)

    init(_ reply: redisReply) {
        if let error = RedisReply.error(in: reply) {
            self = .error(error)
        } else if reply.type == REDIS_REPLY_NIL {
            self = .nothing
        } else if reply.type == REDIS_REPLY_ARRAY {
            let error = (0..<reply.elements).lazy.compactMap {
                reply.element[$0].flatMap { RedisReply.error(in: $0.pointee) }
            }.first
            self = error.map { .error($0) } ?? .done
        } else {
            self = .done
        }
    }

    package var error: RedisError? {
        if case .error(let error) = self { error } else { nil }
    }
}
