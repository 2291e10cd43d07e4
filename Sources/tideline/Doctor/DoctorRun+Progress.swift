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
    /// - Parameter restored: the tasks that processes restore.
    /// - Throws: with status 70 if it is told to end.
    func lookAtProgress(
        _ found: [String: TopicDescription], restored: Set<Int32>, _ admin: any Admin
    ) throws(CommandFailure) {
        let read = places(
            topology.sources.filter(\.isRead).map(\.topic) + [own.exchange], found)
        let all = places(
            environment.topics.inputs + environment.topics.outputs + [own.exchange, own.state], found)
        do throws(LogError) {
            let first = try Look(self, read: read, all: all, admin)
            let deadline = clock.now + interval
            while clock.now < deadline, !Signals.isStopRequested { clock.wait(for: .milliseconds(100)) }
            let second = try Look(self, read: read, all: all, admin)
            let members = try admin.members(of: group, timeout: Self.patience)
            let progress = LagFacts(
                interval: ElapsedTime(interval), tasks: found[own.exchange]?.partitions ?? 0,
                exchangeTopic: own.exchange, members: members,
                places: read.map { place in
                    LagFacts.Place(
                        place, low: second.lows[place] ?? 0, end: first.ends[place] ?? 0,
                        before: first.committed[place], after: second.committed[place])
                }, restored: restored)
            report.add(progress.findings(command: command))
            let held = try all.filter { first.isHeldUp($0) && first.stable[$0] == second.stable[$0] }.map {
                (place) throws(LogError) in
                try transaction(at: place, stable: second.stable[place] ?? 0, end: second.ends[place] ?? 0)
            }
            let owners = transactionOwners(beside: second.claims, members ?? [], found, admin)
            let timeout = environment.settings[Keys.transactionTimeout]
            let confirmed = try confirmed(held, until: deadline + timeout, admin)
            report.add(
                confirmed.findings(
                    timeout: ElapsedTime(timeout), looked: all.count, bootstrap: bootstrap, owners: owners,
                    known: confirmed.isEmpty ? nil : coordinated(), command: command))
            report.add(try pendingOffsets(of: read, owners))
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
        /// What stands beside the offsets of the exchange.
        var claims: [String]
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
            let offsets = try reader.committed(read, timeout: DoctorRun.patience)
            committed = offsets.mapValues(\.next)
            claims = read.compactMap { $0.topic == run.own.exchange ? offsets[$0]?.metadata : nil }
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
}
