import RecordLog

/// Owners that have committed nothing since a transaction in an output or the changelog is open (R15). One of them has
/// left it open, most likely dead, and the group may strike it off long after its session.
///
/// An owner that lives and had nothing to commit is ended, too: it makes its producer anew, and loses nothing. A
/// process whose end of an owner freed something does not end that owner again before it has committed, so that a
/// long transaction comes through after as many attempts as there are processes. Known to all threads of a process.
struct StillOwners {
    /// The last commit of each possible owner of an open transaction of another process: the highest number in its open
    /// claims. 0 stands for a member that has none, and so has committed nothing, or nothing since it gave up its
    /// tasks.
    struct Commits: Equatable {
        private(set) var numbers: [String: Int64] = [:]

        /// - Parameters:
        ///   - claims: of all tasks; `nil` for one that cannot be read.
        ///   - members: transactional ids of the group's members.
        ///   - own: of the asking thread. The threads of its process live, and settle their own transactions.
        init(of claims: [Claim?], and members: [String], but own: String) {
            // Whoever wrote a claim that cannot be read may be any of them.
            if claims.allSatisfy({ $0 != nil }) { for member in members { numbers[member] = 0 } }
            var silent: Set<String> = []
            for case let claim? in claims where !claim.isReleased {
                if let number = claim.number {
                    numbers[claim.transactionalId] = max(numbers[claim.transactionalId] ?? 0, number)
                } else {
                    // Of a format without numbers, which does not tell who commits.
                    silent.insert(claim.transactionalId)
                }
            }
            let process = own.processOfThread
            numbers = numbers.filter { !silent.contains($0.key) && $0.key.processOfThread != process }
        }
    }

    private struct Seen {
        var number: Int64
        /// When it was seen first.
        var since: Duration
        /// When the owner was ended at this number.
        var endedAt: Duration?
        /// Something that had stayed open was closed by that.
        var hasFreed = false
        /// It could not be ended: others come first.
        var hasFailed = false
    }

    private var seen: [String: Seen] = [:]

    /// The commits as they are now. Who is not among them is forgotten.
    mutating func note(_ commits: Commits, at now: Duration) {
        seen = commits.numbers.reduce(into: [:]) { all, owner in
            let known = seen[owner.key].flatMap { $0.number == owner.value ? $0 : nil }
            all[owner.key] = known ?? Seen(number: owner.value, since: now)
        }
    }

    /// The owner's transaction is ended.
    ///
    /// - Parameter hasFreed: true if something that had stayed open was closed by that.
    mutating func noteEnd(of owner: String, at now: Duration, hasFreed: Bool) {
        seen[owner]?.endedAt = now
        seen[owner]?.hasFreed = hasFreed
        seen[owner]?.hasFailed = false
    }

    /// The owner could not be ended.
    mutating func noteFailure(of owner: String) { seen[owner]?.hasFailed = true }

    /// Those that have committed nothing while a transaction was open, and that were not ended meanwhile, nor with
    /// success since their last commit: who committed last comes first, who could not be ended last.
    ///
    /// - Parameter blockedSince: when that transaction was seen first.
    func owners(blockedSince: Duration, now: Duration, _ settings: StreamSettings) -> [String] {
        // Claims are looked at from the second look on.
        let firstLook = blockedSince + settings.standStillInterval + settings.membersInterval * 2
        let still = seen.filter { _, seen in
            let isEnded = seen.endedAt.map { seen.hasFreed || blockedSince <= $0 } ?? false
            return !isEnded && (seen.since <= firstLook || now - seen.since >= settings.standStillPatience)
        }
        func rank(_ owner: (key: String, value: Seen)) -> (Int, Duration, String) {
            (owner.value.hasFailed ? 1 : 0, .zero - owner.value.since, owner.key)
        }
        return still.sorted { rank($0) < rank($1) }.map(\.key)
    }
}
