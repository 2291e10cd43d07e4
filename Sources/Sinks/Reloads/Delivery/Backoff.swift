/// How long to wait before a further attempt: exponential, with jitter, so that not all come back at once.
package struct Backoff: Hashable, Sendable {
    /// Before the second attempt, at most.
    package var first = Duration.seconds(1)
    package var most = Duration.seconds(300)

    package init() {}

    /// Between half of the full delay and all of it.
    ///
    /// - Parameters:
    ///   - attempts: those that have failed, 1 or more.
    ///   - random: from 0 up to 1.
    package func delay(after attempts: Int, random: Double) -> Duration {
        precondition(attempts > 0 && (0..<1).contains(random))
        let doublings = min(attempts - 1, 30)
        let full = min(first * (1 << doublings), most)
        return full / 2 + full / 2 * random
    }
}
