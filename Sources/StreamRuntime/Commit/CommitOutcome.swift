import RecordLog

/// What the claims of its tasks tell of a commit that had no answer (R15). They are of the same transaction as all that
/// it wrote, so one of them is enough.
enum CommitOutcome {
    case committed
    case aborted
    /// No claim, one of a format without numbers, or of others: what the tasks have in memory may be either.
    case unknown

    /// - Parameters:
    ///   - commit: the one in doubt.
    ///   - transactionalId: of the thread that tried it.
    ///   - claims: of the tasks that it wrote for, after the id was initialised.
    init(of commit: ThreadState.CommitInDoubt, by transactionalId: String, claims: [Claim]) {
        let numbers = claims.filter { $0.transactionalId == transactionalId }.compactMap(\.number)
        if numbers.isEmpty {
            self = .unknown
        } else {
            self = numbers.contains { $0 >= commit.number } ? .committed : .aborted
        }
    }
}
