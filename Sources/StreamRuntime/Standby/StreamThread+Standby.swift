import RecordLog
import StreamCore

/// Standby copies of tasks that run in other processes.
extension StreamThread {
    /// Asks beside this thread who is in the group; the answer comes to `follow`.
    func askForStandbys() {
        let now = clock.monotonic()
        guard settings.standbyReplicas > 0, membership.wasEverAssigned, !inquiry.isBusy,
            schedule.standbys.takeTurn(at: now, every: settings.standbyInterval)
        else { return }
        let maxAge = settings.standbyInterval / 2
        ask { ports in
            do throws(LogError) {
                return .members(.success(try ports.members(now: now, maxAge: maxAge) ?? []))
            } catch {
                return .members(.failure(error))
            }
        }
    }

    func follow(_ answer: Result<[GroupMember], LogError>) {
        attempt("finding out which tasks to keep copies of") { () throws(LogError) in
            let assignment = StandbyAssignment(
                own: standbyPlace, exchange: settings.exchangeTopic, partitions: partitions,
                replicas: settings.standbyReplicas, instancesHaveThreads: hasInstanceOfThread)
            guard let wanted = assignment.tasks(try answer.get()) else { return }
            let known = wanted.own.intersection(standbys.copies.keys)
            let kept = wanted.followed.union(known).subtracting(tasks.partitions)
            let changes = try standbys.follow(kept) { makeTask($0) }
            if changes { observer(.standbys(standbys.copies.keys.sorted())) }
        }
    }

    private var standbyPlace: StandbyPlace {
        StandbyPlace(clientId: producer.transactionalId, instance: instance, instancesHaveThreads: hasInstanceOfThread)
    }

    /// True if the process has several threads, each with an instance of its own.
    private var hasInstanceOfThread: Bool { instance != settings.instance }

    /// Reads a portion of the changelogs that are followed.
    func readStandbys() {
        attempt("following changelogs") { () throws(LogError) in
            let failures = try standbys.poll(maximum: settings.restorePortion, now: clock.monotonic())
            for failure in failures { observer(.failed(failure, doing: "following changelogs")) }
        }
    }

    /// The copy of a task that is to be taken over now; in a rebalance callback, so nothing is asked (R16).
    func takeStandby(_ partition: Partition) -> StandbyTasks.Copy? {
        var copy: StandbyTasks.Copy?
        attempt("taking a standby copy") { () throws(LogError) in copy = try standbys.take(partition) }
        return copy
    }

    /// The changelogs may be others by now.
    func dropStandbys() {
        attempt("giving up standby copies") { () throws(LogError) in
            try standbys.drop(standbys.copies.keys.sorted())
        }
    }
}
