import RecordLog

extension AbandonedOwners {
    /// Known to a thread of the owners that have died.
    struct Knowledge: Sendable {
        private var question: Recurrence
        private var outputsQuestion = Recurrence(last: .zero)
        /// How often it was asked.
        private var turns = 0
        /// The partitions of all outputs; empty if they are to be asked for.
        private(set) var outputs: [TopicPartition] = []
        /// Where a transaction is open: the last stable offset, and when that was seen first.
        private(set) var blocked: [TopicPartition: (at: Offset, since: Duration)] = [:]
        /// `nil` while no transaction stays open.
        private(set) var members: Set<GroupMember>?
        /// As they were seen last; `nil` before the first look.
        private(set) var lastMembers: Set<GroupMember>?
        /// Transactional ids of members that are gone, and that are to be ended.
        private(set) var vanished: Set<String> = []
        /// How often the same members were seen again.
        private(set) var looks = 0
        /// All claims are settled of those that are not among these members.
        private(set) var isDone = false
        /// Claims that need not be settled again.
        private(set) var settled: Set<Claim> = []
        /// The last question failed: said once, until one is answered.
        private(set) var hasFailed = false

        /// A thread that has just come knows nothing of what stood still before: so often it asks sooner.
        private static let soonTurns = 4

        /// - Parameter now: when the thread begins.
        init(at now: Duration) {
            question = Recurrence(last: now)
        }

        func isDue(at now: Duration, _ settings: StreamSettings) -> Bool {
            let isSoon = members != nil || turns < Self.soonTurns
            return turns == 0
                || question.isDue(at: now, every: isSoon ? settings.membersInterval : settings.standStillInterval)
        }

        /// - Returns: true if it is time to ask. Then it counts as asked.
        mutating func takeTurn(at now: Duration, _ settings: StreamSettings) -> Bool {
            guard isDue(at: now, settings) else { return false }
            turns += 1
            question.note(at: now)
            // A topic may have grown.
            if outputsQuestion.takeTurn(at: now, every: settings.comparisonInterval) { outputs = [] }
            return true
        }

        /// The same, with more claims that need not be settled again.
        func settling(_ claims: Set<Claim>) -> Knowledge {
            var known = self
            known.settled = claims
            return known
        }

        func looks(at found: Set<GroupMember>) -> Int { found == members ? looks + 1 : 0 }

        /// What was not answered is known as before.
        ///
        /// - Parameter now: when it was asked, on the monotonic clock.
        mutating func note(_ answer: Answer, askedAt now: Duration) {
            hasFailed = !answer.failures.isEmpty
            outputs = answer.outputs ?? outputs
            lastMembers = answer.members ?? answer.firstMembers ?? lastMembers
            vanished = answer.vanished
            settled = answer.isSettled ? Set(answer.settled) : settled.union(answer.settled)
            guard let blocked = answer.blocked else { return }
            self.blocked = blocked.reduce(into: [:]) { all, place in
                let seen = self.blocked[place.key]
                all[place.key] = seen?.at == place.value ? seen : (place.value, now)
            }
            if answer.members == nil && hasFailed { return }
            let isNew = answer.members != members
            looks = answer.members.map(looks) ?? 0
            members = answer.members
            isDone = answer.isSettled || isDone && !isNew
        }
    }
}
