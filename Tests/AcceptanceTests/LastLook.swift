import TestSupport

/// Looks until something is seen, for two minutes at most.
///
/// How long a look itself takes on a busy machine does not count.
///
/// - Returns: whether it was seen, and the last look without it began within `limit` after `began`.
func isSeen(
    within limit: Duration, since began: ContinuousClock.Instant, _ look: () async throws -> Bool
) async rethrows -> Bool {
    var lastWithout = Duration.zero
    let isSeen = try await eventually {
        let asked = ContinuousClock.now - began
        if try await look() { return true }
        lastWithout = asked
        return false
    }
    return isSeen && lastWithout < limit
}
