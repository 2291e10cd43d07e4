internal import CHiredis
import Glibc

/// A part of a command.
package enum RedisWord: Hashable, Sendable, ExpressibleByStringLiteral {
    case text(String)
    case bytes([UInt8])
    case integer(Int64)

    package init(stringLiteral value: String) { self = .text(value) }
}

/// How long calls of a connection may take.
package struct RedisTimeouts: Hashable, Sendable {
    /// The time for making the connection, without that for looking up the name of the host.
    package var connect = Duration.seconds(5)
    /// The time of each wait for the server to take or to send something.
    package var answer = Duration.seconds(5)

    package init(connect: Duration = .seconds(5), answer: Duration = .seconds(5)) {
        self.connect = connect
        self.answer = answer
    }
}

/// A connection to a Redis, owned by one thread. Once a call has thrown `lost`, it is of no more use.
package final class RedisConnection {
    private let context: UnsafeMutablePointer<redisContext>
    private let timeouts: RedisTimeouts
    /// Commands that were appended and have no reply yet.
    package private(set) var pending = 0
    /// The words of the command that is being appended, one after the other: hiredis wants all of them at once, and
    /// Swift lends one at a time. All three keep their memory from one command to the next.
    private var text: [UInt8] = []
    private var lengths: [Int] = []
    private var starts: [UnsafePointer<CChar>?] = []
    /// What waits to be sent is sent from so many bytes on, so that the server works meanwhile.
    private static let sendBytes = 1 << 17

    /// Connects, authenticates and selects the database.
    ///
    /// - Throws: also `busy` if the server is there, and not ready.
    package init(_ address: RedisAddress, _ timeouts: RedisTimeouts = RedisTimeouts()) throws(RedisError) {
        guard let context = redisConnectWithTimeout(address.host, address.port, timeval(timeouts.connect)) else {
            throw RedisError(.lost, "no memory for a connection")
        }
        self.context = context
        self.timeouts = timeouts
        // That of a name is the only failure here which hiredis does not blame on the network.
        if context.pointee.err == REDIS_ERR_OTHER, !message.contains("Temporary") {
            throw RedisError(.unknownHost, message)
        }
        guard context.pointee.err == 0 else { throw RedisError(.lost, message) }
        guard redisSetTimeout(context, timeval(timeouts.answer)) == REDIS_OK,
            redisEnableKeepAlive(context) == REDIS_OK
        else { throw RedisError(.lost, message) }
        var commands: [[RedisWord]] = []
        if let password = address.password {
            let user = address.user.map { [RedisWord.text($0)] } ?? []
            commands.append(["AUTH"] + user + [.text(password.secret)])
        }
        if address.database != 0 { commands.append(["SELECT", .integer(Int64(address.database))]) }
        commands.append(["PING"])
        for command in commands { try append(command) }
        var failure: RedisError?
        for _ in commands {
            let answer = try reply()
            failure = failure ?? answer.error
        }
        if let failure { throw failure }
    }

    deinit {
        redisFree(context)
    }

    /// Adds a command to those that are sent; its reply is the next one after those of the commands before it.
    package func append(_ words: [RedisWord]) throws(RedisError) {
        text.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        for word in words {
            let start = text.count
            switch word {
            case .text(let word): text.append(contentsOf: word.utf8)
            case .bytes(let bytes): text.append(contentsOf: bytes)
            case .integer(let integer): text.append(contentsOf: String(integer).utf8)
            }
            lengths.append(text.count - start)
        }
        let code = text.withUnsafeBytes { bytes in
            starts.removeAll(keepingCapacity: true)
            var next = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            for length in lengths {
                starts.append(next)
                next = next.map { $0 + length }
            }
            return redisAppendCommandArgv(context, Int32(lengths.count), &starts, lengths)
        }
        guard code == REDIS_OK else { throw failure() }
        pending += 1
    }

    /// Sends a part of what was appended, if that is much.
    package func sendSome() throws(RedisError) {
        guard sdslen(context.pointee.obuf) >= Self.sendBytes else { return }
        guard redisBufferWrite(context, nil) == REDIS_OK else { throw failure() }
    }

    /// Sends all that was appended.
    package func sendAll() throws(RedisError) {
        var isDone: Int32 = 0
        while isDone == 0 {
            guard redisBufferWrite(context, &isDone) == REDIS_OK else { throw failure() }
        }
    }

    /// Sends what was appended, and waits for the next reply. An error reply is one.
    package func reply() throws(RedisError) -> RedisReply { try nextReply { RedisReply($0) } }

    /// Does as `reply`, for a reply whose content nobody needs.
    package func confirmation() throws(RedisError) -> RedisConfirmation { try nextReply { RedisConfirmation($0) } }

    private func nextReply<Reply>(_ read: (redisReply) -> Reply) throws(RedisError) -> Reply {
        precondition(pending > 0, "no command waits for a reply")
        var answer: UnsafeMutableRawPointer?
        guard redisGetReply(context, &answer) == REDIS_OK, let answer else { throw failure() }
        defer { freeReplyObject(answer) }
        pending -= 1
        return read(answer.assumingMemoryBound(to: redisReply.self).pointee)
    }

    /// Runs one command.
    ///
    /// - Throws: an error reply, too.
    @discardableResult
    package func run(_ words: [RedisWord]) throws(RedisError) -> RedisReply {
        precondition(pending == 0, "replies of other commands come first")
        try append(words)
        let answer = try reply()
        if let error = answer.error { throw error }
        return answer
    }

    private func failure() -> RedisError {
        let code = errno
        let isLate = context.pointee.err == REDIS_ERR_IO && (code == EAGAIN || code == ETIMEDOUT)
        return RedisError(.lost, isLate ? "no answer within \(timeouts.answer)" : message)
    }

    private var message: String {
        withUnsafeBytes(of: &context.pointee.errstr) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}

extension timeval {
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    }
}
