import RecordLog

/// One group as its coordinator sees it.
///
/// A rebalance gives each member a target. What a member owns beyond its target it has to revoke; what it is to
/// get it gets when nobody else owns it any more. So a moving partition takes two generations, and one that stays is
/// never touched (cooperative rebalancing, KIP-429).
struct ConsumerGroup: Sendable {
    private(set) var generation = 0
    /// In the order in which they joined. A static member keeps its place when another process takes its name over.
    private(set) var members: [Member] = []
    var committed: [TopicPartition: CommittedOffset] = [:]

    /// While a rebalance waits for members to join it; `nil` once all have.
    private var joining: Joining?
    /// The last one that all have joined: until they have joined the next one, it is theirs.
    private var joinedGeneration = 0

    /// Members of which another process has taken the instance's name over (KIP-345).
    private(set) var fenced: Set<Int> = []

    struct Member: Sendable {
        var id: Int
        /// The name of a static member.
        var instance: String?
        var clientId: String
        var topic: String
        var process: Int
        var joinedAt: Instant
        var lastPoll: Instant
        /// When a static member closed without leaving.
        var absentSince: Instant?
        /// The process fell silent while the member's JoinGroup waited for an answer.
        var isParked = false
        /// Its session began anew then, because the answer to its JoinGroup went out.
        var answeredAt = Instant.distantPast
        /// What its application was given and has not given back.
        var owned: Set<Partition> = []
        var target: Set<Partition> = []
    }

    struct Joining: Sendable {
        /// Who has not joined yet.
        var awaited: Set<Int>
    }

    /// What the next poll of a member does.
    enum Step: Sendable {
        case nothing
        case assign([TopicPartition])
        case revoke([TopicPartition])
        /// The group went on without it.
        case lose
        /// Another process has taken its name over.
        case fenced
    }

    /// - Returns: false if it takes over the place of a static member of its name, which needs no new generation.
    mutating func join(_ member: Member) -> Bool {
        precondition(
            members.allSatisfy { $0.topic == member.topic }, "the members of a group subscribe to the same topic")
        precondition(members.allSatisfy { $0.id < member.id })
        guard let instance = member.instance, let index = members.firstIndex(where: { $0.instance == instance }) else {
            members.append(member)
            return true
        }
        let former = members[index].id
        fenced.insert(former)
        var heir = member
        heir.target = members[index].target
        members[index] = heir
        noteJoin(of: former, at: member.joinedAt)
        return false
    }

    /// A static member has closed: its place is kept.
    mutating func depart(_ id: Int, at now: Instant) {
        guard let index = members.firstIndex(where: { $0.id == id }) else { return }
        members[index].absentSince = now
        members[index].owned = []
    }

    mutating func notePoll(of id: Int, at now: Instant) {
        guard let index = members.firstIndex(where: { $0.id == id }) else { return }
        members[index].lastPoll = now
        noteJoin(of: id, at: now)
    }

    mutating func leave(_ id: Int, at now: Instant) {
        members.removeAll { $0.id == id }
        noteJoin(of: id, at: now)
    }

    /// A process sends no heartbeats from now on.
    mutating func silence(process: Int) {
        guard let joining else { return }
        for index in members.indices where members[index].process == process {
            members[index].isParked = !joining.awaited.contains(members[index].id)
        }
    }

    mutating func wake(process: Int) {
        for index in members.indices where members[index].process == process { members[index].isParked = false }
    }

    /// The coordinator does not strike off a member whose JoinGroup it has not answered; the session begins anew with
    /// the answer, which all members get at the same time.
    private mutating func noteJoin(of id: Int, at now: Instant) {
        guard joining?.awaited.remove(id) != nil, joining?.awaited.isEmpty ?? false else { return }
        endJoining()
        for index in members.indices where members[index].isParked {
            members[index].isParked = false
            members[index].answeredAt = now
        }
    }

    private mutating func endJoining() {
        joining = nil
        joinedGeneration = generation
    }

    /// - Parameter seen: the generation that the member knows.
    func step(of id: Int, seen: Int) -> Step {
        guard let member = members.first(where: { $0.id == id }) else { return fenced.contains(id) ? .fenced : .lose }
        // Nobody gets an answer before all have joined.
        if joining != nil { return .nothing }
        let surplus = member.owned.subtracting(member.target)
        if !surplus.isEmpty { return .revoke(places(surplus, of: member)) }
        if seen == generation { return .nothing }
        let taken = members.filter { $0.id != id }.reduce(into: Set<Partition>()) { $0.formUnion($1.owned) }
        return .assign(places(member.target.subtracting(member.owned).subtracting(taken), of: member))
    }

    mutating func own(_ places: [TopicPartition], by id: Int) {
        guard let index = members.firstIndex(where: { $0.id == id }) else { return }
        members[index].owned.formUnion(places.map(\.partition))
    }

    mutating func disown(_ places: [TopicPartition], by id: Int) {
        guard let index = members.firstIndex(where: { $0.id == id }) else { return }
        members[index].owned.subtract(places.map(\.partition))
    }

    /// Begins the next generation. Each member keeps what it had up to its share; those with most may have one more.
    ///
    /// - Parameter newcomer: who begins it by joining.
    mutating func rebalance(partitions: Int32, newcomer: Int? = nil) {
        generation += 1
        // A member that joins while the group waits for others need not join again.
        // Ports that belong to no process are polled when their owner likes.
        let others = Set(members.filter { $0.process > 0 && $0.id != newcomer }.map(\.id))
        let awaited = joining?.awaited.intersection(others) ?? others
        joining = Joining(awaited: awaited)
        if awaited.isEmpty {
            endJoining()
            for index in members.indices { members[index].isParked = false }
        }
        guard !members.isEmpty else { return }
        let share = Int(partitions) / members.count
        let larger = Set(
            members.indices.sorted { (members[$0].target.count, $1) > (members[$1].target.count, $0) }
                .prefix(Int(partitions) % members.count))
        var free = Set(0..<Partition(partitions))
        for index in members.indices {
            let quota = share + (larger.contains(index) ? 1 : 0)
            members[index].target = Set(members[index].target.intersection(free).sorted().prefix(quota))
            free.subtract(members[index].target)
        }
        var rest = free.sorted()[...]
        for index in members.indices {
            let quota = share + (larger.contains(index) ? 1 : 0)
            let more = rest.prefix(quota - members[index].target.count)
            members[index].target.formUnion(more)
            rest = rest.dropFirst(more.count)
        }
        precondition(rest.isEmpty)
    }

    /// The members, as an admin sees them.
    func described() -> [GroupMember] {
        members.map { member in
            GroupMember(
                memberId: String(member.id), clientId: member.clientId, instance: member.instance,
                assigned: member.target.sorted().map { TopicPartition(member.topic, $0) })
        }.sorted { $0.memberId < $1.memberId }
    }

    /// The reason why offsets of this member are refused; `nil` if they are accepted.
    func refusal(of metadata: MemoryGroupMetadata) -> LogError? {
        if fenced.contains(metadata.member) {
            return LogError(.fatal, name: "FENCED_INSTANCE_ID", "another process has taken the instance's name over")
        }
        guard members.contains(where: { $0.id == metadata.member }) else {
            return LogError(.other, name: "UNKNOWN_MEMBER_ID", "\(metadata.group) has no member \(metadata.member)")
        }
        guard (joinedGeneration...generation).contains(metadata.generation) else {
            return LogError(
                .other, name: "ILLEGAL_GENERATION",
                "\(metadata.group) is at generation \(generation), not at \(metadata.generation)")
        }
        return nil
    }

    private func places(_ partitions: Set<Partition>, of member: Member) -> [TopicPartition] {
        partitions.sorted().map { TopicPartition(member.topic, $0) }
    }
}

final class MemoryGroupMetadata: GroupMetadata, Sendable {
    let group: String
    let member: Int
    let generation: Int

    init(group: String, member: Int, generation: Int) {
        self.group = group
        self.member = member
        self.generation = generation
    }
}
