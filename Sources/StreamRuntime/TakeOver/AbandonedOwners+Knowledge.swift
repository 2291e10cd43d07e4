import RecordLog

extension AbandonedOwners {
    /// Known to a thread of the owners that the group has struck off.
    struct Knowledge: Sendable {
        private var question: Recurrence
        private var outputsQuestion = Recurrence(last: .zero)
        /// The members are asked for as soon as the thread has come.
        private var hasAsked = false
        /// The partitions of all outputs; empty if they are to be asked for.
        private(set) var outputs: [TopicPartition] = []
        private(set) var blocked: [TopicPartition: Offset] = [:]
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

        /// - Parameter now: when the thread begins.
        init(at now: Duration) {
            question = Recurrence(last: now)
        }

        /// - Returns: true if it is time to ask. Then it counts as asked.
        mutating func takeTurn(at now: Duration, _ settings: StreamSettings) -> Bool {
            let interval = members == nil ? settings.standStillInterval : settings.membersInterval
            let isFirst = lastMembers == nil && !hasAsked
            guard isFirst || question.isDue(at: now, every: interval) else { return false }
            hasAsked = true
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

        mutating func note(_ answer: Answer) {
            hasFailed = !answer.failures.isEmpty
            outputs = answer.outputs
            blocked = answer.blocked
            let isNew = answer.members != members
            looks = answer.members.map(looks) ?? 0
            members = answer.members
            lastMembers = answer.members ?? answer.firstMembers ?? lastMembers
            vanished = answer.vanished
            isDone = answer.settled != nil || isDone && !isNew
            if let all = answer.settled { settled = Set(all) }
        }
    }
}
