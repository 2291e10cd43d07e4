internal import Positions

/// The wait before the next try: twice as long after each failure, with chance in it, so that the devices that
/// lost one server do not all come back in the same moment.
struct Backoff: Sendable {
    /// The wait after the first failure, before chance shortens it.
    var first: ElapsedTime = .seconds(1)
    /// The longest wait.
    var longest: ElapsedTime
    /// How many tries have failed since the last one that did not.
    private(set) var failures = 0

    init(first: ElapsedTime = .seconds(1), longest: ElapsedTime) {
        self.first = first
        self.longest = longest
    }

    /// Forgets the failures.
    mutating func succeed() { failures = 0 }

    /// Counts a failure, and gives the wait: from half of the doubled time to all of it, but never less than the
    /// server asks for.
    mutating func fail(atLeast asked: ElapsedTime? = nil, _ random: RandomNumber) -> ElapsedTime {
        // More doublings than this do not fit into any longest wait.
        let doubled = min(first * (1 << Int64(min(failures, 20))), max(first, longest))
        failures += 1
        let wait = Double(doubled.milliseconds) * (0.5 + random() / 2)
        return max(ElapsedTime(milliseconds: Int64(wait)), asked ?? .zero)
    }
}
