/// The numbers in the claims of a thread (R15). They only rise.
struct CommitNumbers {
    /// The number of the last commit that was tried.
    private(set) var last: Int64 = 0

    /// Begins another commit.
    mutating func next() -> Int64 {
        last += 1
        return last
    }

    /// Goes on after a number that a claim of the same transactional id has, whoever used that before.
    mutating func pass(_ found: Int64) { last = max(last, found) }
}
