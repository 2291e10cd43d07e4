import RecordLog

/// Who keeps a standby copy of which task (`standby.replicas`).
///
/// Each thread decides for itself from the group as its coordinator describes it, by rendezvous hashing: all that see
/// the same decide the same, without a word between them, and a process that comes or goes moves few copies. A copy
/// lies in another process than the task, and in one thread of that process.
struct StandbyAssignment {
    /// This thread's member.
    var own: StandbyPlace
    var exchange: String
    /// *P*.
    var partitions: Int32
    /// Copies of each task.
    var replicas: Int
    /// True if the instances of static members end with the number of a thread.
    var instancesHaveThreads: Bool

    /// The tasks that this thread follows, and those that are its own by what the group says: it may not have been told
    /// yet.
    ///
    /// - Returns: `nil` while the group does not say who owns each task, or while somebody passes through it who owns
    ///   none for long (`UnownedTasks`), so that nothing is to be changed.
    func tasks(_ members: [GroupMember]) -> (followed: Set<Partition>, own: Set<Partition>)? {
        if members.contains(where: { $0.clientId == UnownedTasks.clientId }) { return nil }
        let places = members.map { member in
            StandbyPlace(
                clientId: member.clientId, instance: member.instance, instancesHaveThreads: instancesHaveThreads)
        }
        guard places.contains(own) else { return nil }
        var owners: [Partition: String] = [:]
        for (member, place) in zip(members, places) {
            for partition in member.assigned ?? [] where partition.topic == exchange {
                owners[partition.partition] = place.process
            }
        }
        let all = 0..<Partition(partitions)
        guard all.allSatisfy({ owners[$0] != nil }) else { return nil }
        let owned = zip(members, places).filter { $0.1 == own }.flatMap { ($0.0.assigned ?? []).map(\.partition) }
        let processes = Set(places.map(\.process)).sorted()
        let threads = Set(places.filter { $0.process == own.process }.map(\.member)).sorted()
        let followed = all.filter { task in
            guard owners[task] != own.process else { return false }
            let others = processes.filter { $0 != owners[task] }
            return Self.ranked(others, task).prefix(replicas).contains(own.process)
                && Self.ranked(threads, task).first == own.member
        }
        return (Set(followed), Set(owned))
    }

    /// In the order in which they are chosen for a task.
    private static func ranked(_ names: [String], _ task: Partition) -> [String] {
        names.map { (ContentHash.of(Array("\($0) \(task)".utf8)), $0) }.sorted { $0 < $1 }.map(\.1)
    }
}
