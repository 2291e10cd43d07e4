import RecordLog
import Simulation
import StreamCore
import StreamRuntime

/// What is seen of a world from outside.
extension World {
    /// To be called now and then: judges the standing still of readers.
    func watchReaders() {
        // Markers that brokers hold back hold readers up, whatever processes do.
        if markersDelayedUntil != nil { excusedUntil = clock.now }
        // The bound is for a cluster in which one process lives on: it ends what others left open.
        let oldest = processes.filter { $0.pausedUntil == nil }.map(\.livesSince).min() ?? clock.now
        excusedUntil = max(excusedUntil, oldest)
        if isDeserted { hamperedAt = clock.now }
        isDeserted = processes.allSatisfy { $0.pausedUntil != nil }
        // Whose requests about a transaction are lost or late repeats them for as long as it may last. What is open
        // when that happens may last as long; what began without it may not.
        let delays = FaultKind.allCases.filter(\.delaysTransactions)
            .reduce(plan.delaysOfTransactions) { $0 + cluster.timesHappened($1) }
        if delays != delaysSeen { hamperedAt = clock.now }
        delaysSeen = delays
        let least = ElapsedTime(draw.session) + .seconds(2)
        // The coordinator ends what is too old when it looks next.
        let last = draw.settings.transactionTimeout + cluster.settings.transactionCheckInterval
        let most = least + ElapsedTime(last)
        let found = reader.standstill(
            now: clock.now, excusedUntil: excusedUntil, limit: least, hampered: (hamperedAt, most))
        standstill = standstill ?? found
    }

    var recordsRead: Int { reader.recordsRead }
    var readersSeeAll: Bool { reader.seesAll }

    /// To be called when a process has gone or stands still.
    func noteDesertion() {
        if processes.allSatisfy({ $0.pausedUntil != nil }) { isDeserted = true }
    }

    /// Every task runs at exactly one process.
    var allTasksRun: Bool {
        let running = processes.flatMap(\.tasks).filter { $0.state == .running }.map(\.partition).sorted()
        return running == Array(0..<Partition(draw.partitions))
    }

    /// Partitions whose committed offset is not their end.
    var lags: [String] {
        let committed = cluster.committedOffsets(of: draw.settings.applicationId)
        let sources = Set(topology.sources.map(\.topic)).sorted() + [draw.settings.exchangeTopic]
        return sources.flatMap { topic in
            (0..<Partition(cluster.partitionCount(of: topic))).compactMap { partition in
                let place = TopicPartition(topic, partition)
                let end = cluster.ends(of: place).high
                let next = committed[place]?.next ?? 0
                return next == end ? nil : "\(place) at \(next) of \(end)"
            }
        }
    }

    /// The nodes that the tasks of the living processes have, and their standby copies.
    var nodesInUse: Int {
        let nodes = topology.nodes.count { !$0.make().stores.isEmpty }
        return processes.reduce(0) { $0 + $1.tasks.count + $1.status.standbys.count } * nodes
    }
}
