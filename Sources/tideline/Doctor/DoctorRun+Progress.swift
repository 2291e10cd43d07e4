import Diagnosis
import Messages
import RecordLog
import Settings
import StreamCore
import StreamRuntime
import Times

extension DoctorRun {
    /// Looks twice at how far everything is.
    ///
    /// - Throws: with status 70 if it is told to end.
    func lookAtProgress(_ found: [String: TopicDescription], _ admin: any Admin) throws(CommandFailure) {
        let read = places(
            topology.sources.filter(\.isRead).map(\.topic) + [own.exchange], found)
        let all = places(
            environment.topics.inputs + environment.topics.outputs + [own.exchange, own.state], found)
        do throws(LogError) {
            let first = try Look(self, read: read, all: all, admin)
            let deadline = clock.now + interval
            while clock.now < deadline, !Signals.isStopRequested { clock.wait(for: .milliseconds(100)) }
            let second = try Look(self, read: read, all: all, admin)
            let progress = LagFacts(
                interval: ElapsedTime(interval), tasks: found[own.exchange]?.partitions ?? 0,
                exchangeTopic: own.exchange, members: try admin.members(of: group, timeout: Self.patience),
                places: read.map { place in
                    LagFacts.Place(
                        place, low: second.lows[place] ?? 0, end: first.ends[place] ?? 0,
                        before: first.committed[place], after: second.committed[place])
                })
            report.add(progress.findings)
            let held = try all.filter { first.isHeldUp($0) && first.stable[$0] == second.stable[$0] }.map {
                (place) throws(LogError) in try transaction(at: place, second)
            }
            let timeout = environment.settings[Keys.transactionTimeout]
            report.add(
                try confirmed(held, until: deadline + timeout, admin).findings(
                    timeout: ElapsedTime(timeout), looked: all.count, bootstrap: bootstrap))
            report.add(try pendingOffsets(of: read))
        } catch {
            report.add([
                Finding(
                    .lag, "application", .bad, "cannot be told, nor what its members and transactions do: \(error)",
                    remedy: "Look at what is found above, then look again")
            ])
        }
        try goOn()
    }

    /// The partitions of those topics that exist, ascending within each.
    private func places(_ topics: [String], _ found: [String: TopicDescription]) -> [TopicPartition] {
        topics.flatMap { topic in
            (0..<Partition(found[topic]?.partitions ?? 0)).map { TopicPartition(topic, $0) }
        }
    }

    /// How far everything was at one moment.
    private struct Look {
        var committed: [TopicPartition: Offset]
        var lows: [TopicPartition: Offset]
        var ends: [TopicPartition: Offset]
        var stable: [TopicPartition: Offset]

        init(
            _ run: DoctorRun, read: [TopicPartition], all: [TopicPartition], _ admin: any Admin
        ) throws(LogError) {
            // A handle that waits for nobody's transaction.
            let reader = try run.environment.cluster.makeConsumer(
                group: run.group, isolation: .readUncommitted, clientId: run.application + "-doctor")
            defer { reader.close() }
            committed = try reader.committed(read, timeout: DoctorRun.patience).mapValues(\.next)
            lows = try admin.startOffsets(of: read, timeout: DoctorRun.patience)
            // The stable ends first: what is committed in between is held up by nobody.
            stable = try admin.endOffsets(of: all, isolation: .readCommitted, timeout: DoctorRun.patience)
            ends = try admin.endOffsets(of: all, isolation: .readUncommitted, timeout: DoctorRun.patience)
        }

        func isHeldUp(_ place: TopicPartition) -> Bool {
            guard let stable = stable[place], let end = ends[place] else { return false }
            return stable < end
        }
    }

    private func transaction(at place: TopicPartition, _ look: Look) throws(LogError) -> TransactionFacts {
        let stable = look.stable[place] ?? 0
        let consumer = try environment.cluster.makeConsumer(
            group: nil, isolation: .readUncommitted, clientId: application + "-doctor")
        defer { consumer.close() }
        try consumer.incrementalAssign([(place, .at(stable))])
        let since = firstTimestamp(from: consumer, within: Self.patience)
        return TransactionFacts(
            place, stableEnd: stable, end: look.ends[place] ?? stable, age: since.map { WallClock.systemTime() - $0 })
    }

    /// So long a transaction that seems too old is watched at the most.
    private static let watchMax = Duration.seconds(30)

    /// The time of a record is its producer's: one that copies old records has a transaction that looks old and goes
    /// on. So what seems too old is looked at once more when a transaction of now would be too old.
    private func confirmed(
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
    private func pendingOffsets(of places: [TopicPartition]) throws(LogError) -> [Finding] {
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
                    remedy:
                        "kafka-transactions.sh --bootstrap-server \(bootstrap) find-hanging --broker-id ID names it;"
                        + " a process that waits for it goes on by itself after the time-out and 30 s.")
            ]
        }
    }
}
