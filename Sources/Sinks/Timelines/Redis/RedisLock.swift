import Redis

/// The lock by which one sink at a time writes to a Redis: a key with the name of its owner, which expires unless it is
/// renewed. Each transaction renews it, and is refused by Redis if the key was changed since it was looked at.
struct RedisLock {
    let owner: String
    /// How long it outlives its owner.
    private(set) var lease: Duration
    private static let leaseMax = Duration.seconds(60)
    /// True once it was taken: whoever has it afterwards has fenced this owner.
    private var wasHeld = false
    /// The owner that was seen, and when its lock expires at the latest unless it is renewed.
    private var rival: (owner: String, expiry: Duration)?

    init(owner: String, lease: Duration) {
        self.owner = owner
        self.lease = lease
    }

    enum Answer {
        case taken
        /// It is held by another owner, of whom it is not known yet whether they live.
        case held(by: String)
        /// Its owner has renewed it, or took it from this one.
        case alive(String)
    }

    private var milliseconds: RedisWord { .integer(Int64(lease / .milliseconds(1))) }

    var renewal: [RedisWord] { ["PEXPIRE", .text(RedisKeys.lock), milliseconds] }

    /// Takes it, if it is free or this owner's.
    mutating func take(_ connection: RedisConnection, now: () -> Duration) throws(RedisError) -> Answer {
        let key = RedisWord.text(RedisKeys.lock)
        if try connection.run(["SET", key, .text(owner), "NX", "PX", milliseconds]) != .nothing { return taken() }
        let holder = try connection.run(["GET", key]).text
        if holder == owner {
            // This also ends a transaction of an earlier connection that the server has not come to yet: it watches the
            // key.
            try connection.run(renewal)
            return taken()
        }
        // Redis said the time somewhen between the question and its answer, which may take long.
        let asked = now()
        guard let holder, case .integer(let time) = try connection.run(["PTTL", key]), time > 0 else {
            return .held(by: "a sink that has just ended")
        }
        let (earliest, latest) = (asked + .milliseconds(time), now() + .milliseconds(time))
        if wasHeld { return .alive(holder) }
        // Without a renewal it expires when it was going to.
        if let rival, rival.owner == holder, earliest > rival.expiry + .milliseconds(200) { return .alive(holder) }
        rival = (holder, latest)
        return .held(by: holder)
    }

    private mutating func taken() -> Answer {
        wasHeld = true
        rival = nil
        return .taken
    }

    /// It has expired in the middle of a transaction: one that is as long again is to have the time.
    mutating func outlived() { lease = min(lease * 2, max(lease, Self.leaseMax)) }

    /// Gives it up, if it is this owner's.
    func release(_ connection: RedisConnection) throws(RedisError) {
        let key = RedisWord.text(RedisKeys.lock)
        try connection.run(["WATCH", key])
        guard try connection.run(["GET", key]).text == owner else { return }
        try connection.run(["MULTI"])
        try connection.run(["DEL", key])
        try connection.run(["EXEC"])
    }
}
