import RecordLog

/// What is remembered from one round of taking over to the next (`TakeOverRound`).
struct TakeOverRounds {
    /// The tasks of the last round, by their serials, and when it was asked.
    private var last: (serials: Set<Int>, at: Duration) = ([], .zero)
    /// The last round took longer than the pause between two.
    private var wasSlow = false
    /// See `TaskRuntime.serial`.
    private var lastSerial = 0
    /// Exchange partitions whose claims could not be read.
    private var unreadableClaims: Set<TopicPartition> = []

    /// A runtime is made.
    mutating func nextSerial() -> Int {
        lastSerial += 1
        return lastSerial
    }

    /// The same question again at once would get the same answer, and leave no room for others.
    ///
    /// - Returns: true if a round of these tasks may be asked now. Then it counts as asked.
    mutating func begin(_ serials: Set<Int>, at now: Duration, interval: Duration) -> Bool {
        if serials == last.serials && now - last.at < interval { return false }
        last = (serials, now)
        return true
    }

    /// Another question goes first after a round that was slow: one.
    ///
    /// - Returns: true if no round is to be asked now.
    mutating func leavesTurn() -> Bool {
        defer { wasSlow = false }
        return wasSlow
    }

    /// The round is answered.
    mutating func noteAnswer(at now: Duration, interval: Duration) { wasSlow = now - last.at > interval }

    /// - Returns: true the first time that the claim in this partition cannot be read.
    mutating func noteUnreadable(_ place: TopicPartition) -> Bool { unreadableClaims.insert(place).inserted }
}
