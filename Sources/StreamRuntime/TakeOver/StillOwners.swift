import RecordLog

/// Owners that have committed nothing since a transaction in an output or the changelog is open (R15). One of them has
/// left it open, most likely dead, and the group may strike it off long after its session.
///
/// An owner that lives and had nothing to commit is ended, too: it makes its producer anew, and loses nothing.
struct StillOwners: Sendable {
    /// The last commit of each possible owner of an open transaction: the highest number in its open claims. 0 stands
    /// for a member that has none, and so has committed nothing, or nothing since it gave up its tasks.
    struct Commits: Sendable, Equatable {
        private(set) var numbers: [String: Int64] = [:]

        /// - Parameters:
        ///   - members: transactional ids of the group's members.
        ///   - own: of the asking thread, which settles its own transactions.
        init(of claims: [Claim], and members: [String], but own: String) {
            for member in members { numbers[member] = 0 }
            for claim in claims where !claim.isReleased {
                // Claims of a release without numbers do not tell who stands still.
                guard let number = claim.number else { continue }
                numbers[claim.transactionalId] = max(numbers[claim.transactionalId] ?? 0, number)
            }
            numbers[own] = nil
        }
    }

    /// When the transaction was seen first that is open for longest; `nil` while none is.
    private(set) var blockedSince: Duration?
    /// The commits as they were seen first meanwhile; `nil` before that.
    private var first: Commits?
    /// Those that were ended meanwhile.
    private var ended: Set<String> = []

    /// True if the last commits are to be asked for: at first, and when owners are to be ended.
    func isToBeAsked(at now: Duration, settings: StreamSettings) -> Bool {
        blockedSince != nil && (first == nil || lateness(at: now, settings: settings) != nil)
    }

    /// How long ago owners were to be ended that stand still; `nil` before that.
    func lateness(at now: Duration, settings: StreamSettings) -> Duration? {
        guard let blockedSince, first != nil, now - blockedSince >= settings.standStillPatience else { return nil }
        return now - blockedSince - settings.standStillPatience
    }

    /// Those that have committed nothing meanwhile, and that were not ended.
    func owners(_ commits: Commits) -> Set<String> {
        guard let first else { return [] }
        return Set(commits.numbers.filter { first.numbers[$0.key] == $0.value }.keys).subtracting(ended)
    }

    mutating func note(_ answer: AbandonedOwners.Answer, blockedSince since: Duration?) {
        if since != blockedSince { self = StillOwners() }
        blockedSince = since
        if since == nil { return }
        first = first ?? answer.commits
        ended.formUnion(answer.endedStill)
    }
}
