/// How long to wait before a further attempt: exponential, with jitter, so that not all come back at once.
package struct Backoff: Hashable, Sendable {
    /// The longest delay before the second attempt. It doubles with each attempt, up to `most`.
    package var first = Duration.seconds(1)
    package var most = Duration.seconds(300)

    package init() {}

    /// Returns a delay between half of the full one and all of it.
    ///
    /// - Parameters:
    ///   - attempts: the number of attempts that have failed, 1 or more.
    ///   - random: from 0 up to 1.
    ///   - least: the server's own word, which a longer delay only exceeds.
    package func delay(after attempts: Int, random: Double, atLeast least: Duration? = nil) -> Duration {
        precondition(attempts > 0 && (0..<1).contains(random))
        let doublings = min(attempts - 1, 30)
        let full = min(first * (1 << doublings), most)
        return max(full / 2 + full / 2 * random, least ?? .zero)
    }
}
