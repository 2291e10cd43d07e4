import RecordLog
import StreamCore

/// Finds owners of tasks that the group has struck off, and ends their transactions (R15), before anybody is given
/// their tasks.
///
/// A rebalance waits for each member that has died meanwhile, so where one death follows another nobody takes over for
/// long, and readers of committed records would stand still. The coordinator strikes a dead member off at its session
/// time-out, but for one that died while its JoinGroup waited for an answer: its session begins anew when all have
/// joined, and ends that much later.
///
/// Who is in the group is asked for only while a transaction in an output or the changelog stays open from one look to
/// the next, and once when a thread has come. Who died within its first transaction has left no claim: it is known by
/// the member that is gone since the look before.
struct AbandonedOwners: Sendable {
    struct Answer: Sendable {
        /// The partitions of all outputs.
        var outputs: [TopicPartition] = []
        /// The last stable offsets of those in which a transaction is open.
        var blocked: [TopicPartition: Offset] = [:]
        /// The group's members as they were seen, without assignments; `nil` if they were not asked for.
        var members: Set<GroupMember>?
        /// Those that were seen when the thread had come; `nil` if they were not asked for.
        var firstMembers: Set<GroupMember>?
        /// Transactional ids of members that are gone since the first look, and that are not ended yet.
        var vanished: Set<String> = []
        /// Those of them whose transactions were ended now, ascending.
        var endedVanished: [String] = []
        /// Claims of the struck-off whose transactions are ended, ascending by transactional id; `nil` if it is not
        /// known of all.
        var settled: [Claim]?
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
        let maxAge = ports.settings.membersInterval / 2
        answer.vanished = known.vanished
        do throws(LogError) {
            let timeout = ports.settings.answerTimeout
            if known.lastMembers == nil {
                let found = try ports.members(now: now, maxAge: maxAge) ?? []
                answer.firstMembers = Set(found.map(\.withoutAssignment))
            }
            try lookAtOutputs(ports, &answer)
            if answer.blocked.isEmpty { answer.vanished = [] }
            guard answer.blocked.contains(where: { known.blocked[$0.key] == $0.value }),
                let found = try ports.members(now: now, maxAge: maxAge)
            else { return answer }
            let members = Set(found.map(\.withoutAssignment))
            answer.members = members
            answer.vanished = vanished(found)
            let looks = known.looks(at: members)
            let isDone = known.isDone && answer.vanished.isEmpty
            if looks > known.looks && isDone || !mayAct(looks, found) { return answer }
            let committed = try ports.claims.committed(places, timeout: timeout)
            let claims = places.compactMap { committed[$0] }.compactMap { Claim($0.metadata, prefix: prefix) }
            settle(abandoned(claims, found), ports, &answer)
            settleVanished(ports, &answer)
        } catch {
            answer.failures.append((error, doing: "asking whose transactions are open"))
        }
        return answer
    }

    private func lookAtOutputs(_ ports: BrokerInquiry.Ports, _ answer: inout Answer) throws(LogError) {
        let timeout = ports.settings.answerTimeout
        var outputs = known.outputs
        if outputs.isEmpty {
            let found = try ports.admin.describeTopics(self.outputs, timeout: timeout)
            outputs = self.outputs.flatMap { name in
                (0..<Partition(found[name]?.partitions ?? 0)).map { TopicPartition(name, $0) }
            }
        }
        // The stable end first: a transaction that ends in between must not look like one that is open.
        let stable = try ports.admin.endOffsets(of: outputs, isolation: .readCommitted, timeout: timeout)
        let high = try ports.admin.endOffsets(of: outputs, isolation: .readUncommitted, timeout: timeout)
        answer.outputs = outputs
        answer.blocked = stable.filter { $0.value < high[$0.key] ?? 0 }
    }

    /// Four members act at their first look, four more at their next, and so on: some of them may be dead as well, and
    /// mostly those tasks have new owners by then. Who is no member itself knows least of all who is.
    private func mayAct(_ looks: Int, _ members: [GroupMember]) -> Bool {
        let ids = members.filter { $0.instance == nil }.map(\.clientId).filter { $0.hasPrefix(prefix) }.sorted()
        if let rank = ids.firstIndex(of: transactionalId) { return rank / 4 <= looks }
        return members.contains { $0.owns(transactionalId, prefix: prefix) }
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

    /// The client id of a static member is that of its name's first process, and so tells nothing.
    private func vanished(_ members: [GroupMember]) -> Set<String> {
        let gone = (known.lastMembers ?? [])
            .filter { $0.instance == nil && $0.clientId.hasPrefix(prefix) }.map(\.clientId)
        return known.vanished.union(gone).subtracting(members.map(\.clientId)).subtracting([transactionalId])
    }

    private func settleVanished(_ ports: BrokerInquiry.Ports, _ answer: inout Answer) {
        for owner in answer.vanished.sorted() {
            do throws(LogError) {
                try ports.settle(owner)
                answer.endedVanished.append(owner)
                answer.vanished.remove(owner)
            } catch {
                answer.failures.append((error, doing: "ending the transaction of \(owner)"))
            }
        }
    }

    private func settle(_ owners: [String: Set<Claim>], _ ports: BrokerInquiry.Ports, _ answer: inout Answer) {
        var settled: [Claim] = []
        for (owner, claims) in owners.sorted(by: { $0.key < $1.key }) {
            do throws(LogError) {
                if !claims.isSubset(of: known.settled) { try ports.settle(owner) }
                settled += claims.sorted { ($0.number ?? 0) < ($1.number ?? 0) }
            } catch {
                answer.failures.append((error, doing: "ending the transaction of \(owner)"))
            }
        }
        if answer.failures.isEmpty { answer.settled = settled }
    }
}

extension GroupMember {
    /// True if the transactional id is that of this member's thread; of a static member, of any of its name.
    fileprivate func owns(_ transactionalId: String, prefix: String) -> Bool {
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
