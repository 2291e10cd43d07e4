import RecordLog

/// What the broker's answers about ends have told: that it lives, and which partitions have more to read but give
/// nothing.
struct BrokerWatch {
    /// When the last answer came; `nil` before the first.
    private(set) var lastAnswer: Duration?
    private var isUnanswered = false
    /// The aborts of the thread at the last look.
    private var aborts = 0
    /// By the partitions of the thread's tasks. They stay when a task is taken over anew.
    private var stalls: [TopicPartition: StallWatch] = [:]

    var isStalled: Bool { stalls.values.contains(where: \.isStalled) }
    var stalledPartitions: Int { stalls.values.count { $0.isStalled } }

    mutating func noteAnswer(at now: Duration) {
        lastAnswer = now
        isUnanswered = false
    }

    /// The last question had no answer.
    ///
    /// - Returns: true if the one before it had one.
    mutating func noteSilence() -> Bool {
        defer { isUnanswered = true }
        return !isUnanswered
    }

    /// - Parameter aborts: of the thread, so far.
    /// - Returns: true if there were some since the last look.
    mutating func noteAborts(_ aborts: Int) -> Bool {
        defer { self.aborts = aborts }
        return aborts != self.aborts
    }

    /// See `StallWatch.observe`.
    mutating func observe(
        _ place: TopicPartition, next: Offset, end: Offset, at now: Duration, patience: Duration, isExcused: Bool
    ) -> (for: Duration, remedy: StallWatch.Remedy)? {
        stalls[place, default: StallWatch()].observe(
            next: next, end: end, at: now, patience: patience, isExcused: isExcused)
    }

    /// The partition is not this thread's to read any more.
    mutating func forget(_ place: TopicPartition) { stalls[place] = nil }
}
