import RecordLog
import StreamCore

/// Finds owners of tasks that have died, and ends their transactions (R15), before anybody is given their tasks.
///
/// A rebalance waits for each member that has died meanwhile, so where one death follows another nobody takes over for
/// long, and readers of committed records would stand still. Two kinds of owners are ended:
/// - those that the group has struck off, which their claims tell, or, of those that died within their first
///   transaction, that they were members at the look before;
/// - those that have committed nothing while a transaction was open for as long as a session lasts (`StillOwners`): the
///   coordinator strikes nobody off whose JoinGroup waits for an answer, and begins that session anew with the answer.
///
/// Who is in the group is asked for only while a transaction in an output or the changelog stays open from one look to
/// the next, and when a thread has come.
struct AbandonedOwners: Sendable {
    struct Answer: Sendable {
        /// The partitions of all outputs; `nil` if they are not known.
        var outputs: [TopicPartition]?
        /// The last stable offsets of those in which a transaction is open; `nil` if that is not known.
        var blocked: [TopicPartition: Offset]?
        /// The group's members as they were seen, without assignments; `nil` if they were not asked for.
        var members: Set<GroupMember>?
        /// Those that were seen when the thread had come; `nil` if they were not asked for.
        var firstMembers: Set<GroupMember>?
        /// Transactional ids of members that are gone since the first look, and that are not ended yet.
        var vanished: Set<String> = []
        /// The owners whose transactions were ended now, in that order.
        var ended: [String] = []
        /// Claims of the struck-off whose transactions are ended, ascending by transactional id.
        var settled: [Claim] = []
        /// All claims of the struck-off are among `settled`.
        var isSettled = false
        var failures: [(LogError, doing: String)] = []
    }

    /// The asking thread's own, which is the client id of its member, too.
    var transactionalId: String
    var prefix: String
    /// Topics.
    var outputs: [String]
    /// The exchange partitions of all tasks.
    var places: [TopicPartition]
    /// What the thread knows by now.
    var known: Knowledge
    /// When it asked, on the monotonic clock.
    var now: Duration

    func answer(_ ports: BrokerInquiry.Ports) -> Answer {
        var answer = Answer()
        answer.vanished = known.vanished
        do throws(LogError) {
            if known.lastMembers == nil { answer.firstMembers = Set(try members(ports).map(\.withoutAssignment)) }
            let blocked = try lookAtOutputs(ports, &answer)
            if blocked.isEmpty { answer.vanished = [] }
            answer.blocked = blocked
            guard blocked.contains(where: { known.blocked[$0.key]?.at == $0.value }) else { return answer }
            let found = try members(ports)
            // A group without members is one that is not known.
            if found.isEmpty { return answer }
            answer.members = Set(found.map(\.withoutAssignment))
            answer.vanished = vanished(found)
            try end(found, ports, &answer)
        } catch {
            answer.failures.append((error, doing: "asking whose transactions are open"))
        }
        return answer
    }

    private func members(_ ports: BrokerInquiry.Ports) throws(LogError) -> [GroupMember] {
        try ports.members(now: now, maxAge: ports.settings.membersInterval / 2) ?? []
    }

    /// - Returns: the last stable offsets where a transaction is open.
    private func lookAtOutputs(
        _ ports: BrokerInquiry.Ports, _ answer: inout Answer
    ) throws(LogError) -> [TopicPartition: Offset] {
        let timeout = ports.settings.answerTimeout
        var outputs = known.outputs
        if outputs.isEmpty {
            let found = try ports.admin.describeTopics(self.outputs, timeout: timeout)
            outputs = self.outputs.flatMap { name in
                (0..<Partition(found[name]?.partitions ?? 0)).map { TopicPartition(name, $0) }
            }
        }
        answer.outputs = outputs
        // The stable end first: a transaction that ends in between must not look like one that is open.
        let stable = try ports.admin.endOffsets(of: outputs, isolation: .readCommitted, timeout: timeout)
        let high = try ports.admin.endOffsets(of: outputs, isolation: .readUncommitted, timeout: timeout)
        return stable.filter { $0.value < high[$0.key] ?? 0 }
    }

    // MARK: - Ending

    private func end(_ members: [GroupMember], _ ports: BrokerInquiry.Ports, _ answer: inout Answer) throws(LogError) {
        let looks = known.looks(at: answer.members ?? [])
        let isDone = looks > known.looks && known.isDone && answer.vanished.isEmpty
        let committed = try ports.claims.committed(places, timeout: ports.settings.answerTimeout)
        let texts = places.compactMap { committed[$0]?.metadata }.filter { !$0.isEmpty }
        let claims = texts.map { Claim($0, prefix: prefix) }
        ports.still.note(
            StillOwners.Commits(of: claims, and: dynamicMembers(members), but: transactionalId), at: now)
        if !isDone && mayAct(looks, members) {
            settle(abandoned(claims.compactMap(\.self), members), ports, &answer)
            settleVanished(ports, &answer)
        }
        try endStill(members, ports, &answer)
    }

    /// So many at a look: each takes some milliseconds, and other questions wait.
    private static let stillMax = 16

    /// Ends those that stand still, until no transaction is open any more that was for long, or one cannot be ended,
    /// which takes its time: the others come first at the next look.
    private func endStill(
        _ members: [GroupMember], _ ports: BrokerInquiry.Ports, _ answer: inout Answer
    ) throws(LogError) {
        let patience = ports.settings.standStillPatience
        var long = known.blocked.filter { place, block in
            answer.blocked?[place] == block.at && now - block.since >= patience
        }
        guard let first = long.values.map(\.since).min(), let last = long.values.map(\.since).max() else { return }
        guard mayAct(Int((now - first - patience) / ports.settings.membersInterval), members) else { return }
        let owners = ports.still.owners(blockedSince: last, now: now, ports.settings)
        for owner in owners.prefix(Self.stillMax) where !answer.ended.contains(owner) {
            guard settle(owner, ports, &answer) else { return ports.still.noteFailure(of: owner) }
            let stable = try ports.admin.endOffsets(
                of: long.keys.sorted(), isolation: .readCommitted, timeout: ports.settings.answerTimeout)
            let open = long.filter { stable[$0.key] == $0.value.at }
            ports.still.noteEnd(of: owner, at: now, hasFreed: open.count < long.count)
            if open.isEmpty { return }
            long = open
        }
    }

    /// Four processes act at their first look, four more at their next, and so on: some of them may be dead as well,
    /// and mostly those tasks have new owners by then. Who is no member itself knows least of all who is.
    private func mayAct(_ looks: Int, _ members: [GroupMember]) -> Bool {
        guard let own = members.first(where: { $0.owns(transactionalId, prefix: prefix) }) else { return false }
        let processes = Set(members.map(\.clientId).filter { $0.hasPrefix(prefix) }.map(\.processOfThread)).sorted()
        return (processes.firstIndex(of: own.clientId.processOfThread) ?? 0) / 4 <= looks
    }

    /// Transactional ids. The client id of a static member is that of its name's first process, and so tells nothing.
    private func dynamicMembers(_ members: some Sequence<GroupMember>) -> [String] {
        members.filter { $0.instance == nil }.map(\.clientId).filter { $0.hasPrefix(prefix) }
    }

    /// Claims without a number are of a release whose members have other client ids, and are let alone.
    private func abandoned(_ claims: [Claim], _ members: [GroupMember]) -> [String: Set<Claim>] {
        var owners: [String: Set<Claim>] = [:]
        for claim in claims where !claim.isReleased && claim.number != nil {
            if members.contains(where: { $0.owns(claim.transactionalId, prefix: prefix) }) { continue }
            owners[claim.transactionalId, default: []].insert(claim)
        }
        return owners
    }

    private func vanished(_ members: [GroupMember]) -> Set<String> {
        let gone = dynamicMembers(known.lastMembers ?? [])
        return known.vanished.union(gone).subtracting(members.map(\.clientId)).subtracting([transactionalId])
    }

    private func settle(_ owners: [String: Set<Claim>], _ ports: BrokerInquiry.Ports, _ answer: inout Answer) {
        answer.isSettled = true
        for (owner, claims) in owners.sorted(by: { $0.key < $1.key }) {
            if claims.isSubset(of: known.settled) || settle(owner, ports, &answer) {
                answer.settled += claims.sorted { ($0.number ?? 0) < ($1.number ?? 0) }
                answer.vanished.remove(owner)
            } else {
                answer.isSettled = false
            }
        }
    }

    private func settleVanished(_ ports: BrokerInquiry.Ports, _ answer: inout Answer) {
        for owner in answer.vanished.sorted() where settle(owner, ports, &answer) { answer.vanished.remove(owner) }
    }

    /// - Returns: true if the owner's transaction is ended.
    private func settle(_ owner: String, _ ports: BrokerInquiry.Ports, _ answer: inout Answer) -> Bool {
        do throws(LogError) {
            try ports.settle(owner)
            answer.ended.append(owner)
            return true
        } catch {
            answer.failures.append((error, doing: "ending the transaction of \(owner)"))
            return false
        }
    }
}

extension GroupMember {
    /// True if the transactional id is that of this member's thread; of a static member, of any of its name.
    func owns(_ transactionalId: String, prefix: String) -> Bool {
        if let instance {
            let own = "\(prefix)\(instance)-"
            // A thread's name has no hyphen: with more of them it is of another instance, whose name begins alike.
            return transactionalId.hasPrefix(own) && !transactionalId.dropFirst(own.count).contains("-")
        }
        return clientId == transactionalId
    }

    fileprivate var withoutAssignment: GroupMember {
        var member = self
        member.assigned = nil
        return member
    }
}
