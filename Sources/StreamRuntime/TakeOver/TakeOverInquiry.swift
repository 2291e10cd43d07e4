import RecordLog
import StreamCore

/// What is asked about tasks before they can be restored.
struct TakeOverQuestion: Sendable {
    struct Task: Sendable {
        /// The runtime's number, so that an answer is not taken for another one's.
        var serial: Int
        var partition: Partition
        var exchange: TopicPartition
        var changelog: TopicPartition
        /// The exchange included.
        var sources: [(number: UInt8, place: TopicPartition)]
        var settled: Set<Claim>
        /// Claims that were settled for other reasons: their owners may have come back since, and hold something up.
        var settledBeside: Set<Claim>
        /// It has waited for stable offsets for longer than any transaction lasts.
        var isPatienceOver = false
        /// The end that a task which restores already has to reach; `nil` before.
        var restoringTo: Offset?
    }

    var transactionalId: String
    var prefix: String
    var tasks: [Task]
}

struct TakeOverAnswer: Sendable {
    struct Start: Sendable {
        /// The end of the changelog as a read_uncommitted handle sees it, asked for after the offsets were stable (R2).
        var end: Offset
        var starts: [TaskStart]
    }

    /// By the task's serial.
    var starts: [Int: Start] = [:]
    /// Claims of tasks whose owners' transactions are ended now, by the task's serial.
    var settled: [Int: Claim] = [:]
    /// Owners whose transactions were ended, ascending.
    var settledOwners: [String] = []
    /// Serials of restoring tasks for which it is known whether something holds their changelog up, and it does.
    var heldUp: Set<Int> = []
    /// Serials of restoring tasks whose changelog ends before the end that they have to reach: it was made anew.
    var shortened: Set<Int> = []
    /// Serials of restoring tasks that nothing holds up.
    var free: Set<Int> = []
    /// Serials of tasks that begin although their offsets are not stable.
    var unstable: Set<Int> = []
    /// The highest number in a claim of the asking thread itself.
    var ownNumber: Int64 = 0
    var unreadable: [(TopicPartition, String)] = []
    var failures: [(LogError, doing: String)] = []
}

/// One round for all tasks that are to be taken over, in the order of R2 and R15: claims, the transactions of owners
/// that did not release them, stable offsets, then ends. Each step is one question for all of them.
struct TakeOverRound {
    let question: TakeOverQuestion
    let ports: BrokerInquiry.Ports
    private(set) var answer = TakeOverAnswer()

    init(_ question: TakeOverQuestion, _ ports: BrokerInquiry.Ports) {
        self.question = question
        self.ports = ports
    }

    private var settings: StreamSettings { ports.settings }

    mutating func run() {
        let created = question.tasks.filter { $0.restoringTo == nil }
        _ = settleOwners(of: heldUpTasks()) { _ in true }
        // A claim of the format before does not say whether it was released: its owner may live, and is let alone as
        // long as nothing waits for it (R4).
        let ready = settleOwners(of: created, isFirst: true) { $0.number != nil }
        // Those that wait for a transaction of nobody known hold up nobody else.
        let groups = stable(ready)
        for group in groups { begin(group.tasks, group.committed) }
        let begun = Set(groups.flatMap { $0.tasks.map(\.serial) })
        let waiting = settleOwners(of: ready.filter { !begun.contains($0.serial) }) { _ in true }
        for task in waiting where task.isPatienceOver { beginUnstable(task) }
    }

    // MARK: - Claims

    /// - Parameters:
    ///   - isFirst: true if nothing is known to be held up yet.
    ///   - isSettled: says of an open claim whether its owner's transaction is to be ended.
    /// - Returns: the tasks for which no such owner is left.
    private mutating func settleOwners(
        of tasks: [TakeOverQuestion.Task], isFirst: Bool = false, where isSettled: (Claim) -> Bool
    ) -> [TakeOverQuestion.Task] {
        if tasks.isEmpty { return [] }
        let committed: [TopicPartition: CommittedOffset]
        do throws(LogError) {
            let newest = try ports.claims.committed(tasks.map(\.exchange), timeout: settings.callTimeout)
            committed = isFirst ? afterReleases(newest) : newest
        } catch {
            answer.failures.append((error, doing: "reading claims"))
            return []
        }
        var unsettled: [String: [(serial: Int, claim: Claim)]] = [:]
        for task in tasks {
            guard let claim = claim(of: task, committed), !claim.isReleased, isSettled(claim),
                !task.settled.contains(claim), !(isFirst && task.settledBeside.contains(claim))
            else { continue }
            unsettled[claim.transactionalId, default: []].append((task.serial, claim))
        }
        var failed: Set<Int> = []
        for (owner, claims) in unsettled.sorted(by: { $0.key < $1.key }) {
            do throws(LogError) {
                try ports.settle(owner)
                answer.settledOwners.append(owner)
                for (serial, claim) in claims { answer.settled[serial] = claim }
            } catch {
                answer.failures.append((error, doing: "ending the transaction of \(owner)"))
                failed.formUnion(claims.map(\.serial))
            }
        }
        return tasks.filter { !failed.contains($0.serial) }
    }

    /// A release that is decided is not seen before its markers are written. It is waited for a moment, so that an
    /// owner that lives is not fenced for it.
    private func afterReleases(
        _ newest: [TopicPartition: CommittedOffset]
    ) -> [TopicPartition: CommittedOffset] {
        let open = newest.filter { Claim($0.value.metadata, prefix: question.prefix)?.isReleased == false }
        if open.isEmpty { return newest }
        do throws(LogError) {
            let stable = try ports.offsets.committed(open.keys.sorted(), timeout: settings.stableOffsetsTimeout)
            return newest.merging(stable) { $1 }
        } catch {
            // Whatever holds them up is ended as the claims say.
            return newest
        }
    }

    /// - Returns: `nil` if it is the asking thread's own, or none.
    private mutating func claim(
        of task: TakeOverQuestion.Task, _ committed: [TopicPartition: CommittedOffset]
    ) -> Claim? {
        guard let metadata = committed[task.exchange]?.metadata, !metadata.isEmpty else { return nil }
        guard let claim = Claim(metadata, prefix: question.prefix) else {
            answer.unreadable.append((task.exchange, metadata))
            return nil
        }
        guard claim.transactionalId == question.transactionalId else { return claim }
        answer.ownNumber = max(answer.ownNumber, claim.number ?? 0)
        return nil
    }

    /// Restoring tasks whose changelog ends, for a read_committed reader, before the end that they have to reach.
    private mutating func heldUpTasks() -> [TakeOverQuestion.Task] {
        let restoring = question.tasks.filter { $0.restoringTo != nil }
        if restoring.isEmpty { return [] }
        do throws(LogError) {
            let ends = try ports.admin.endOffsets(
                of: restoring.map(\.changelog), isolation: .readUncommitted, timeout: settings.callTimeout)
            let shortened = restoring.filter { (ends[$0.changelog] ?? Offset(.max)) < ($0.restoringTo ?? 0) }
            answer.shortened = Set(shortened.map(\.serial))
            if !shortened.isEmpty { return [] }
            let stable = try ports.admin.endOffsets(
                of: restoring.map(\.changelog), isolation: .readCommitted, timeout: settings.callTimeout)
            let heldUp = restoring.filter { (stable[$0.changelog] ?? 0) < ($0.restoringTo ?? 0) }
            answer.heldUp = Set(heldUp.map(\.serial))
            answer.free = Set(restoring.map(\.serial)).subtracting(answer.heldUp)
            return heldUp
        } catch {
            answer.failures.append((error, doing: "asking for the last stable offset"))
            return []
        }
    }

    // MARK: - Stable offsets and ends

    private typealias Group = (tasks: [TakeOverQuestion.Task], committed: [TopicPartition: CommittedOffset])

    /// The committed offsets, asked for all tasks at once; where one of them is not stable, for each half, and so on.
    private mutating func stable(_ tasks: [TakeOverQuestion.Task]) -> [Group] {
        if tasks.isEmpty { return [] }
        do throws(LogError) {
            let places = tasks.flatMap { $0.sources.map(\.place) }
            let committed = try ports.offsets.committed(places, timeout: settings.stableOffsetsTimeout)
            return [(tasks, committed)]
        } catch {
            guard error.code == .timedOut || error.code == .unstableOffsets else {
                answer.failures.append((error, doing: "asking for committed offsets"))
                return []
            }
            if tasks.count == 1 { return [] }
            let middle = tasks.count / 2
            return stable(Array(tasks[..<middle])) + stable(Array(tasks[middle...]))
        }
    }

    /// A broker that was lost may leave an offset pending of a transaction that has ended: nobody ends it any more, and
    /// the offset is never stable again. The owner is fenced by now, so its last record lies below the changelog's end,
    /// and the restore waits until all below that end is decided. The offsets are those that were committed last.
    private mutating func beginUnstable(_ task: TakeOverQuestion.Task) {
        do throws(LogError) {
            let committed = try ports.claims.committed(task.sources.map(\.place), timeout: settings.callTimeout)
            begin([task], committed)
            if answer.starts[task.serial] != nil { answer.unstable.insert(task.serial) }
        } catch {
            answer.failures.append((error, doing: "asking for committed offsets, stable or not"))
        }
    }

    private mutating func begin(_ tasks: [TakeOverQuestion.Task], _ committed: [TopicPartition: CommittedOffset]) {
        let places = tasks.flatMap { $0.sources.map(\.place) }
        let timeout = settings.callTimeout
        do throws(LogError) {
            // After the offsets were stable: the last commit's records lie below these ends.
            let ends = try ports.admin.endOffsets(
                of: tasks.map(\.changelog) + places, isolation: .readUncommitted, timeout: timeout)
            let stable = try ports.admin.endOffsets(of: places, isolation: .readCommitted, timeout: timeout)
            let lows = try ports.admin.startOffsets(of: places, timeout: timeout)
            for task in tasks {
                let starts = task.sources.map { source in
                    TaskStart(
                        source: source.number, topicPartition: source.place, committed: committed[source.place]?.next,
                        watermarks: Watermarks(low: lows[source.place] ?? 0, high: ends[source.place] ?? 0),
                        stableEnd: stable[source.place])
                }
                answer.starts[task.serial] = .init(end: ends[task.changelog] ?? 0, starts: starts)
            }
        } catch {
            // A topic that one of them misses holds up that one alone.
            if error.code == .unknownTopicOrPartition && tasks.count > 1 {
                let middle = tasks.count / 2
                begin(Array(tasks[..<middle]), committed)
                begin(Array(tasks[middle...]), committed)
                return
            }
            answer.failures.append((error, doing: "asking where partitions begin and end"))
        }
    }
}
