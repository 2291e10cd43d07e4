/// When a broker may be asked where the exchange ends, for the barriers of tasks (`TaskRuntime.localBarrier`): once in
/// an iteration, and not for a while after a question that had no answer.
struct BarrierQuestions {
    private var isAsked = false
    private var pausedUntil = Duration.zero

    mutating func beginIteration() { isAsked = false }

    /// - Parameter now: is looked at only if nothing was asked in this iteration.
    /// - Returns: true if the question may be asked now. Then it counts as asked.
    mutating func begin(at now: @autoclosure () -> Duration) -> Bool {
        guard !isAsked, now() >= pausedUntil else { return false }
        isAsked = true
        return true
    }

    /// The last question had no answer.
    mutating func pause(until end: Duration) { pausedUntil = end }
}
