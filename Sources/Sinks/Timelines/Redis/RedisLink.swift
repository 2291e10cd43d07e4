import Redis

/// A connection to a Redis, with the lock, and transactions that end unless the lock is still held.
///
/// It connects when it is needed. After a failure of any kind the connection is given up: replies that were not taken,
/// and keys that are watched, go with it.
final class RedisLink {
    let place: String
    private let address: RedisAddress
    private let timeouts: RedisTimeouts
    private let now: () -> Duration
    private var lock: RedisLock
    private var connection: RedisConnection?
    private var isWatching = false
    /// Commands of the transaction that were sent, MULTI among them.
    private var queued = 0
    /// The transaction whose end was sent and is not answered: its commands, and when it was sent.
    private var unanswered: (commands: Int, sentAt: Duration)?
    /// When the renewal was sent: the server counts the lease from some moment between that and its answer.
    private var renewedAt = Duration.zero
    /// Counts how often the lock was taken: what was known of the server before may be wrong.
    private(set) var generation = 0
    private(set) var server: RedisServer?

    init(_ address: RedisAddress, _ timeouts: RedisTimeouts, _ lock: RedisLock, now: @escaping () -> Duration) {
        self.address = address
        self.timeouts = timeouts
        self.lock = lock
        self.now = now
        place = address.description
    }

    /// True if the lock has to be renewed now to be safe.
    var isRenewalDue: Bool { connection == nil || now() - renewedAt >= lock.lease / 4 }

    // MARK: - Opening

    /// Connects and takes the lock, unless that is done.
    func open() throws(SinkError) {
        if connection != nil { return }
        let made: RedisConnection
        let answer: RedisLock.Answer
        let server: RedisServer
        let asked: Duration
        do throws(RedisError) {
            made = try RedisConnection(address, timeouts)
            server = try RedisServer(made)
            asked = now()
            answer = try lock.take(made, now: now)
        } catch {
            throw failure(error, "connect to")
        }
        switch answer {
        case .taken: break
        case .held(let owner):
            throw .unavailable(fault("write to", "\(owner) has its lock; waiting to see whether that sink lives"))
        case .alive(let owner): throw .refused(fault("write to", "another sink writes there (\(owner))"))
        }
        (connection, self.server) = (made, server)
        renewedAt = asked
        generation += 1
    }

    /// Gives up the lock and the connection. Answers that are still to come are waited for, as long as any: before them
    /// nothing says that the lock is free.
    func close() {
        // If it cannot be given up, it expires.
        if let connection { try? release(connection) }
        drop()
    }

    private func release(_ connection: RedisConnection) throws(RedisError) {
        if hasQueued { try connection.append(["DISCARD"]) }
        while connection.pending > 0 { _ = try connection.confirmation() }
        try lock.release(connection)
    }

    // MARK: - Transactions

    /// True once a command of the transaction was sent: then nothing can be asked any more.
    var hasQueued: Bool { queued > 0 }
    /// True after `commit` until `settle`.
    var awaitsAnswer: Bool { unanswered != nil }

    /// Asks questions within a transaction, which begins with the first ones. They end before its commands.
    func ask(_ questions: [[RedisWord]]) throws(SinkError) -> [RedisReply] {
        precondition(!hasQueued && !awaitsAnswer, "within MULTI nothing is answered")
        return try attempt("read") { (connection) throws(RedisError) in
            let key = RedisWord.text(RedisKeys.lock)
            let look: [[RedisWord]] = isWatching ? [] : [["UNWATCH"], ["WATCH", key], ["GET", key]]
            for command in look + questions {
                try connection.append(command)
                try connection.sendSome()
            }
            for _ in look.dropLast() { _ = try connection.expectReply() }
            if !look.isEmpty, try connection.expectReply().text != lock.owner { throw Self.lockLost }
            isWatching = true
            var replies: [RedisReply] = []
            for _ in questions { replies.append(try connection.expectReply()) }
            return replies
        }
    }

    /// Sends commands of the transaction, for the server to read while others are made. They are done at its end.
    func queue(_ commands: [[RedisWord]]) throws(SinkError) {
        try attempt("write to") { (connection) throws(RedisError) in try queue(commands, connection) }
    }

    private func queue(_ commands: [[RedisWord]], _ connection: RedisConnection) throws(RedisError) {
        precondition(isWatching, "a transaction begins with a look at the lock")
        for command in (queued == 0 ? [["MULTI"], lock.renewal] : []) + commands {
            try connection.append(command)
            try connection.sendSome()
            queued += 1
        }
    }

    /// Takes back what was queued.
    func discard() throws(SinkError) {
        guard hasQueued else { return }
        try attempt("write to") { (connection) throws(RedisError) in
            try connection.append(["DISCARD"])
            for _ in 0...queued { _ = try connection.reply() }
            (isWatching, queued) = (false, 0)
        }
    }

    /// Ends the transaction with these commands: all of them and all that were queued are done, or none. `settle` says
    /// which.
    func commit(_ commands: [[RedisWord]]) throws(SinkError) {
        try attempt("write to") { (connection) throws(RedisError) in
            let sentAt = now()
            try queue(commands, connection)
            try connection.append(["EXEC"])
            try connection.sendAll()
            (isWatching, queued, unanswered) = (false, 0, (queued, sentAt))
        }
    }

    /// Waits for the end of the transaction that was sent.
    func settle() throws(SinkError) {
        guard let unanswered else { return }
        try attempt("write to") { (connection) throws(RedisError) in
            do throws(RedisError) {
                try Self.takeReplies(connection, queued: unanswered.commands)
            } catch {
                if error == Self.lockLost { lock.outlived() }
                throw error
            }
            (self.unanswered, renewedAt) = (nil, unanswered.sentAt)
        }
    }

    private static func takeReplies(_ connection: RedisConnection, queued: Int) throws(RedisError) {
        var cause: RedisError?
        let end: RedisConfirmation
        do throws(RedisError) {
            for _ in 0..<queued {
                let answer = try connection.confirmation()
                cause = cause ?? answer.error
            }
            end = try connection.confirmation()
        } catch {
            // After some refusals the server hangs up.
            throw cause ?? error
        }
        if end == .nothing { throw lockLost }
        // One within it says that a key has another type than it should; what the sink uses was looked at before.
        if let error = end.error { throw cause ?? error }
    }

    /// Forgets the transaction. What was queued goes with the connection.
    func forget() {
        if hasQueued || awaitsAnswer { drop() }
        (isWatching, queued) = (false, 0)
    }

    private static let lockLost = RedisError(.busy, "the lock of this sink has expired, or was taken")

    // MARK: - Failures

    func attempt<Result>(
        _ operation: String, _ body: (RedisConnection) throws(RedisError) -> Result
    ) throws(SinkError) -> Result {
        try open()
        guard let connection else { preconditionFailure("it was opened") }
        do throws(RedisError) {
            return try body(connection)
        } catch {
            drop()
            throw failure(error, operation)
        }
    }

    private func drop() {
        connection = nil
        (isWatching, queued, unanswered) = (false, 0, nil)
    }

    func fault(_ operation: String, _ reason: String) -> SinkFault {
        SinkFault(place: place, operation: operation, reason: reason)
    }

    private func failure(_ error: RedisError, _ operation: String) -> SinkError {
        switch error.kind {
        case .lost, .busy: .unavailable(fault(operation, error.description))
        case .failed where error.isTextTooLong || error.isAbort: .unavailable(fault(operation, error.description))
        case .unknownHost:
            .unavailable(
                SinkFault(place: place, operation: operation, reason: error.description, isUnknownHost: true))
        case .failed: .refused(fault(operation, error.description))
        case .denied:
            .refused(
                fault(
                    operation,
                    "\(error.description) (the credentials are those of the address, or REDISCLI_AUTH; the user needs"
                        + " ~tideline:* +@read +@write +@transaction +@connection, better with +info +config|get)"))
        }
    }
}

extension RedisConnection {
    /// The next reply, which is no error.
    fileprivate func expectReply() throws(RedisError) -> RedisReply {
        let reply = try reply()
        if let error = reply.error { throw error }
        return reply
    }
}
