import Diagnosis
import Inspection
import Messages
import RecordLog
import Settings
import StreamRuntime
import Times

/// Transactions that hold readers up, and who of the application may have left them open.
extension DoctorRun {
    /// The producers of the application that may have a transaction open, the most likely first.
    ///
    /// - Parameters:
    ///   - claims: what stands beside the group's offsets of the exchange.
    ///   - members: of the group.
    func transactionOwners(
        beside claims: [String], _ members: [GroupMember], _ found: [String: TopicDescription], _ admin: any Admin
    ) -> [TransactionOwner] {
        let topics = environment.topics
        let written = topics.outputs + [own.exchange, own.state]
        let claimed = ClaimedOwners(beside: claims, of: application, members: members)
        var owners = claimed.gone.map { id in
            TransactionOwner(
                id, "a thread that is gone and has not released its tasks", writesTo: written,
                ending: "'\(command("process"))' takes over the tasks of threads that are gone, and ends what they"
                    + " left open.")
        }
        owners += claimed.alive.map { TransactionOwner($0, "a member of the group", writesTo: written, ending: "") }
        // Who may not look there is told so among the permissions.
        if (try? admin.describeTopics([own.reset], timeout: Self.patience))?[own.reset] != nil {
            owners.append(
                TransactionOwner(
                    application + "-reset", "a reset that has not ended", writesTo: [own.state],
                    ending: "Who goes on with the reset ends what it left open."))
        }
        if found[OperationMarks.topic(of: application)] != nil {
            owners.append(
                TransactionOwner(
                    application + ".operations", "'dead-letters replay' or 'drop'",
                    writesTo: topics.inputs + [topics.timelines, topics.reloads],
                    ending: "The next of these verbs that has something to do ends what they left open."))
        }
        if found[OnDemandTopics.pushes(environment.settings)] != nil {
            owners.append(
                TransactionOwner(
                    application + ".sink.NAME", "a sink that sends", writesTo: [topics.deadLetters],
                    ending: "The next start of a sink that sends ends what it left open.",
                    prefix: application + ".sink."))
        }
        return owners
    }

    /// What coordinators have written of all transactions.
    ///
    /// - Returns: `nil` if this client may not read it, or if some of it cannot be understood: then nothing follows
    ///   from an id that is not there.
    func coordinated() -> CoordinatedTransactions? {
        guard let read = try? environment.coordinatedTransactions(), read.unreadable == 0 else { return nil }
        return read
    }

    /// - Parameters:
    ///   - stable: the last stable offset, at which readers wait.
    ///   - end: the end of the partition.
    func transaction(at place: TopicPartition, stable: Offset, end: Offset) throws(LogError) -> TransactionFacts {
        let consumer = try environment.cluster.makeConsumer(
            group: nil, isolation: .readUncommitted, clientId: application + "-doctor")
        defer { consumer.close() }
        try consumer.incrementalAssign([(place, .at(stable))])
        let since = firstTimestamp(from: consumer, within: Self.patience)
        return TransactionFacts(
            place, stableEnd: stable, end: max(end, stable), age: since.map { WallClock.systemTime() - $0 })
    }

    /// So long a transaction that seems too old is watched at the most.
    private static let watchMax = Duration.seconds(30)

    /// The time of a record is its producer's: one that copies old records has a transaction that looks old and goes
    /// on. So what seems too old is looked at once more when a transaction of now would be too old.
    func confirmed(
        _ held: [TransactionFacts], until deadline: Duration, _ admin: any Admin
    ) throws(LogError) -> [TransactionFacts] {
        let timeout = ElapsedTime(environment.settings[Keys.transactionTimeout])
        let old = held.filter { $0.age.map { $0 > timeout } ?? false }.map(\.partition)
        if old.isEmpty { return held }
        let end = min(deadline, clock.now + Self.watchMax)
        while clock.now < end, !Signals.isStopRequested { clock.wait(for: .milliseconds(100)) }
        let stable = try admin.endOffsets(of: old, isolation: .readCommitted, timeout: Self.patience)
        return held.map { fact in
            guard let now = stable[fact.partition], now != fact.stableEnd else { return fact }
            var moved = fact
            moved.age = .zero
            return moved
        }
    }

    /// Offsets of the group that a transaction holds, for longer than one may last.
    func pendingOffsets(
        of places: [TopicPartition], _ owners: [TransactionOwner]
    ) throws(LogError) -> [Finding] {
        let reader = try environment.cluster.makeConsumer(
            group: group, isolation: .readCommitted, clientId: application + "-doctor")
        defer { reader.close() }
        let timeout = environment.settings[Keys.transactionTimeout]
        do throws(LogError) {
            _ = try reader.committed(places, timeout: timeout + .seconds(2))
            return []
        } catch {
            guard error.code == .timedOut || error.code == .unstableOffsets else { throw error }
            return [
                Finding(
                    .transactions, "offsets of group \(group)", .bad,
                    "a transaction holds them for longer than \(timeout.shortText)",
                    remedy: owners.endings(of: own.exchange)
                        + "\(command("transactions")) names who has one open in __consumer_offsets, and ends it with"
                        + " '--end'; if nobody has, it hangs: a process that waits for it goes on by itself after the"
                        + " time-out and 30 s.")
            ]
        }
    }
}
