import RecordLog

/// The life of a stream thread's transactions, as one value: what may happen in which state is read here alone.
///
/// `StreamThread.enter` goes from state to state and ends the program at a step that `transitions` does not have.
/// Records are processed, and tasks are taken over, in the states *ready* and *open* only. In all others an iteration
/// makes one attempt to settle what is owed, of a second at most, and serves rebalances (R16).
enum ThreadState {
    /// The producer is new, and its id has to be initialised before the thread joins the group.
    case initialising
    /// No transaction is open.
    case ready
    /// A transaction is open.
    case open
    /// The producer's abort is repeated until its deadline.
    case aborting(Abort)
    /// The producer is of no use any more; another one of the same id is to be initialised.
    case inDoubt(Doubt)
    /// The id is initialised; the claim of a task tells whether the commit in doubt took place (R15).
    case verifying(Doubt)
    /// All is settled; nothing is processed before the topics are there and a broker answers.
    case checking(Check)
    /// The thread is closed, or has given up.
    case ended

    /// A transaction that is to be aborted.
    struct Abort {
        var cause: LogError
        /// The commit that has failed: it is not known to have had no effect before the abort succeeds. `nil` if none
        /// was sent; then the tasks are reverted already.
        var commit: CommitInDoubt?
        var deadline: Duration
    }

    /// What is not known, and what is to be done before the thread goes on.
    struct Doubt {
        var cause: LogError
        /// The commit whose outcome is not known; `nil` if none was sent, so that the transaction is aborted.
        var commit: CommitInDoubt?
        /// A producer has been made in place of the one that failed.
        var isReplaced = false
        /// A failure that is waited for does not count towards the end of the thread.
        var hasWaited = false
    }

    struct CommitInDoubt {
        /// The number in the claims of this commit.
        var number: Int64
        /// The tasks whose claims are in it.
        var writers: [Partition]
        /// The tasks that it gives up.
        var released: Set<Partition>
        /// Nothing was flushed before it (`TaskTable.areNameless`).
        var isClaimAlone: Bool
        var hasAdvanced: Bool
    }

    struct Check {
        var cause: LogError
        /// The failure was counted towards the end of the thread.
        var isCounted: Bool
        /// A topic or a broker was missing, which explains the failure: then it does not count.
        var isExcused = false
        /// The exchange or the changelog was missing, so that it may be another one now.
        var wasStateMissing = false
        var isSaid = false
        /// The topics that were missing at the last look that had an answer.
        var missing: [String] = []
        /// When the topics were looked at last; `nil` before the first time.
        var lastLook: Duration?
    }

    enum Name: String, CaseIterable {
        case initialising, ready, open, aborting
        case inDoubt = "in doubt"
        case verifying, checking, ended
    }

    var name: Name {
        switch self {
        case .initialising: .initialising
        case .ready: .ready
        case .open: .open
        case .aborting: .aborting
        case .inDoubt: .inDoubt
        case .verifying: .verifying
        case .checking: .checking
        case .ended: .ended
        }
    }

    /// True where records may be processed and committed.
    var mayProcess: Bool { name == .ready || name == .open }
}

/// Which state may follow which, and when.
extension ThreadState {
    struct Transition: Equatable {
        var from: Name
        var to: Name
        var when: String

        init(_ from: Name, _ to: Name, _ when: String) {
            self.from = from
            self.to = to
            self.when = when
        }
    }

    static let transitions: [Transition] = [
        .init(.initialising, .ready, "its id is initialised"),
        .init(.initialising, .inDoubt, "the producer is refused"),
        .init(.initialising, .ended, "it is told to end"),
        .init(.ready, .open, "something is to be written"),
        .init(.ready, .inDoubt, "the producer has failed"),
        .init(.ready, .ended, "it has left the group, or gives up"),
        .init(.open, .ready, "committed"),
        .init(.open, .aborting, "a call failed, or tasks are lost"),
        .init(.open, .inDoubt, "the outcome is not known, or the producer has failed"),
        .init(.open, .ended, "it gives up"),
        .init(.aborting, .ready, "aborted"),
        .init(.aborting, .checking, "aborted, and a topic may be missing"),
        .init(.aborting, .inDoubt, "it cannot be aborted in time"),
        .init(.aborting, .ended, "a record is refused for good, or it is told to end"),
        .init(.inDoubt, .verifying, "a new producer of the id is initialised"),
        .init(.inDoubt, .ended, "it failed too often, or is told to end"),
        .init(.verifying, .checking, "the claim tells the outcome"),
        .init(.verifying, .ended, "it is told to end"),
        .init(.checking, .ready, "all topics are there"),
        .init(.checking, .ended, "it failed too often, or is told to end"),
    ]

    static func allows(_ from: Name, _ to: Name) -> Bool { index(of: from, to) != nil }

    /// - Returns: the place in `transitions`; `nil` if it is none of them.
    static func index(of from: Name, _ to: Name) -> Int? {
        transitions.firstIndex { $0.from == from && $0.to == to }
    }

    /// A drawing for people: each state with those that may follow it.
    static var drawing: String {
        let names = Name.allCases.map { $0.rawValue.count }.max() ?? 0
        var last: Name?
        return transitions.map { step in
            defer { last = step.from }
            let from = (step.from == last ? "" : step.from.rawValue).padded(to: names)
            return "\(from) ──► \(step.to.rawValue.padded(to: names))  \(step.when)"
        }.joined(separator: "\n")
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, count - self.count))
    }
}
