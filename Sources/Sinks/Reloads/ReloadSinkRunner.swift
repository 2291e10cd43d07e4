package import HTTPClient
import Messages
package import RecordLog

/// Sends reloads to a destination: at least once, and each position is kept only when everything before it is settled
/// (delivered, retired, dead-lettered or skipped). One run per runner, on a thread that the caller owns.
///
/// Each round of the run:
/// 1. reads reloads, as long as there is room for what is not settled;
/// 2. has the destination learn all that was known by then, and takes up what it wants to send;
/// 3. sends what is due, up to the number of requests that may be under way;
/// 4. settles what was answered, or puts it back for later;
/// 5. commits positions, retired tokens and dead letters in one transaction.
package final class ReloadSinkRunner<Destination: ReloadDestination> {
    let settings: ReloadSinkSettings
    let destination: Destination
    let transport: any HTTPTransport
    let clock: any ReloadSinkClock
    /// From 0 up to 1.
    let random: () -> Double
    let shouldStop: () -> Bool
    let notice: (ReloadSinkNotice) -> Void
    private let progress: (ReloadSinkSummary) -> Void

    private let admin: any Admin
    private let reader: TopicReader
    let ledger: ReloadLedger

    var lanes: DeliveryLanes<Destination.Content>
    var outstanding = OutstandingRecords()
    var underWay: [Int: Sent] = [:]
    var tag = 0
    /// By host, until when nothing is sent there, and how often in a row that was so.
    var pauses: [String: Pause] = [:]
    /// The hosts that turn everything away, which was told.
    var turnedAway: Set<String> = []
    /// Hosts of which it was told that something failed there for now, since they took something last.
    var failing: Set<String> = []
    /// By host, when something was last delivered.
    var deliveredAt: [String: Duration] = [:]
    /// What was refused in a row, and is not settled.
    var refusedRow: [Refused] = []
    /// What the next commit writes besides positions.
    var entries = ReloadLedger.Entries()
    var summary = ReloadSinkSummary()
    /// The latest round has found something to read.
    private(set) var hasRead = false
    private var targets: [Int32: Offset] = [:]
    private let begin: Duration
    private var partitionsSeen: Duration
    private var lastCommit: Duration
    private var told: Duration

    struct Sent {
        var lane: String
        var parcel: DeliveryLanes<Destination.Content>.Parcel
        var attempt: DeliveryAttempt
    }

    struct Pause {
        var until: Duration
        var failures: Int
    }

    /// - Parameters:
    ///   - instance: a name that no other run ever had.
    ///   - random: draws from 0 up to 1, for the jitter of back-offs.
    ///   - shouldStop: asked at every round, and at least every few seconds while the brokers are away.
    ///   - progress: told at most four times a second of the clock, and once at the end.
    package init(
        cluster: any Cluster, destination: Destination, transport: any HTTPTransport, settings: ReloadSinkSettings,
        instance: String, clock: any ReloadSinkClock, random: @escaping () -> Double,
        shouldStop: @escaping () -> Bool = { false }, progress: @escaping (ReloadSinkSummary) -> Void = { _ in },
        notice: @escaping (ReloadSinkNotice) -> Void = { _ in }
    ) throws(LogError) {
        precondition(settings.requestsMax > 0 && settings.outstandingMax > 0 && settings.batchMaximum > 0)
        self.settings = settings
        self.destination = destination
        self.transport = transport
        self.clock = clock
        self.random = random
        self.shouldStop = shouldStop
        self.progress = progress
        self.notice = notice
        admin = try cluster.makeAdmin()
        reader = try TopicReader(
            settings.reloadsTopic, cluster: cluster, admin: admin, clientId: settings.clientId,
            requests: settings.requests(clock, shouldStop))
        ledger = ReloadLedger(
            settings, instance: instance, cluster: cluster, admin: admin, clock: clock, shouldStop: shouldStop,
            notice: notice)
        lanes = DeliveryLanes(
            gather: destination.conflates ? settings.gather : .zero, merge: { destination.merge($0, $1) })
        begin = clock.now
        partitionsSeen = begin
        lastCommit = begin
        told = begin
    }

    /// Sends until it has caught up, where the settings ask for that, or until `shouldStop`.
    ///
    /// - Throws: `log` where a topic is missing or the brokers refuse; `replaced` where another instance of the sink
    ///   has started; `refused` where the destination refuses all.
    package func run() throws(ReloadSinkError) -> ReloadSinkSummary {
        defer {
            transport.shutdown()
            ledger.close()
            destination.close()
            reader.close()
            admin.close()
        }
        if try start() {
            while !shouldStop(), !isCaughtUp {
                try read()
                try deliver()
                try commitWhereDue()
                tellProgress()
            }
        }
        summary.wasStopped = !isCaughtUp
        try drain()
        tellProgress(isLast: true)
        return summary
    }

    /// - Returns: false where it was stopped first.
    private func start() throws(ReloadSinkError) -> Bool {
        guard let kept = try ledger.open() else { return false }
        for (key, value) in kept.sorted(by: { $0.key < $1.key }) { destination.restore(key, value) }
        guard try destination.catchUp() else { return false }
        do throws(LogError) {
            let start = try reader.start(from: ledger.positions)
            targets = start.ends
            for (partition, next) in start.lost.sorted(by: { $0.key < $1.key }) {
                notice(.startedOver(TopicPartition(settings.reloadsTopic, partition), next))
            }
        } catch {
            if error.isRetriable, shouldStop() { return false }
            throw .log(error)
        }
        return true
    }

    // MARK: - Reading

    private func read() throws(ReloadSinkError) {
        lookForPartitions()
        try destination.keepUp()
        hasRead = false
        let room = settings.outstandingMax - outstanding.count
        guard room > 0 else { return }
        let records: [Record]
        do throws(LogError) {
            // What is under way is waited for elsewhere.
            records = try reader.poll(
                maximum: min(room, settings.batchMaximum), timeout: lanes.isEmpty ? settings.pollTimeout : .zero,
                failed: { notice(.log($0)) })
        } catch {
            throw .log(error)
        }
        guard !records.isEmpty else { return }
        hasRead = true
        summary.records += records.count
        for record in records { outstanding.begin(record) }
        // Stopped: they stay outstanding, and the next run reads them again.
        guard try destination.catchUp() else { return }
        for record in records { takeUp(record) }
    }

    private func takeUp(_ record: Record) {
        let place = OutstandingRecords.Place(record)
        let written = record.timestamp.milliseconds < 0 ? clock.wall : record.timestamp
        do throws(MessageProblem) {
            let parcels = try destination.parcels(for: record)
            if parcels.isEmpty { summary.skipped += 1 }
            for (lane, content) in parcels {
                outstanding.claim(place)
                if lanes.add(content, of: place, written: written, to: lane, now: clock.now) { summary.conflated += 1 }
            }
        } catch {
            deadLetter([place], error)
        }
        outstanding.settle(place)
    }

    private func lookForPartitions() {
        guard clock.now - partitionsSeen >= settings.partitionInterval else { return }
        partitionsSeen = clock.now
        do throws(LogError) {
            guard let total = try reader.lookForPartitions() else { return }
            notice(.newPartitions(topic: settings.reloadsTopic, total: total))
        } catch {
            notice(.log(error))
        }
    }

    // MARK: - Keeping

    private func commitWhereDue() throws(ReloadSinkError) {
        guard lanes.isEmpty || clock.now - lastCommit >= settings.commitInterval else { return }
        try commit()
    }

    /// Where nothing has changed, nothing is written.
    func commit() throws(ReloadSinkError) {
        for (partition, read) in reader.read {
            let next = outstanding.first(of: partition) ?? read
            if next != ledger.positions[partition] ?? Offset(0) { entries.positions[partition] = next }
        }
        entries.changes += destination.takeLedgerChanges()
        guard !entries.isEmpty else { return }
        if try ledger.commit(entries) { entries = ReloadLedger.Entries() }
        lastCommit = clock.now
    }

    private var isCaughtUp: Bool {
        hasReadAll && lanes.isEmpty && outstanding.isEmpty && entries.isEmpty
    }

    /// Nothing is read any more that has to be sent.
    var hasReadAll: Bool { settings.untilCaughtUp && !targets.isEmpty && reader.hasReached(targets) }

    private func tellProgress(isLast: Bool = false) {
        summary.elapsed = clock.now - begin
        guard isLast || clock.now - told >= .milliseconds(250) else { return }
        told = clock.now
        progress(summary)
    }
}
