import Foundation
import Messages
import RecordLog
import TestSupport
import Seeds
import Timelines

/// A deliberate bug of the runtime, made by ports that do another thing than they are asked to.
enum PortDefect: String, CaseIterable, Sendable {
    case offsetOneTooLow, restoreToStable, noOffsets, clientPositions, noBarrier, positionsNotInState, epochIgnored,
        claimNeverReleased, deadlineBeforeFlush
    /// A hole that was closed: nobody ends the transaction of an owner that died (R15).
    case ownersNotSettled
    /// The same: nobody compares the record before a position (R18).
    case nothingCompared
    /// The same: a commit whose outcome is not known counts as failed (R15).
    case outcomeTakenForFailure
    /// The same: a task's exchange is read from its end, whatever its position says (R20).
    case exchangeFromItsEnd
    /// A reload that waited for a token is dropped when there is one.
    case heldReloadDropped
    /// A timeline says something else than the records that it names.
    case otherContent
}

/// The ports of a process with a defect.
final class DefectiveCluster: Cluster {
    private let base: any Cluster
    private let defect: PortDefect
    private let slow: SlowFlush?

    init(_ base: any Cluster, _ defect: PortDefect, slow: SlowFlush? = nil) {
        self.base = base
        self.defect = defect
        self.slow = slow
    }

    func makeConsumer(group: String?, isolation: IsolationLevel, clientId: String) throws(LogError) -> any Consumer {
        let consumer = try base.makeConsumer(group: group, isolation: isolation, clientId: clientId)
        let isBlind = defect == .nothingCompared && clientId.hasSuffix("-compare")
        return DefectiveConsumer(consumer, defect, isBlind: isBlind)
    }

    func makeTransactionalProducer(
        transactionalId: String, clientId: String
    ) throws(LogError) -> any TransactionalProducer {
        let isIdle = defect == .ownersNotSettled && clientId.hasSuffix("-settle")
        return try DefectiveProducer(transactionalId, defect, slow, isIdle: isIdle) { [base] () throws(LogError) in
            try base.makeTransactionalProducer(transactionalId: transactionalId, clientId: clientId)
        }
    }

    func makePlainProducer(clientId: String) throws(LogError) -> any PlainProducer {
        try base.makePlainProducer(clientId: clientId)
    }

    func makeAdmin() throws(LogError) -> any Admin { DefectiveAdmin(try base.makeAdmin(), defect) }
}

private final class DefectiveConsumer: Consumer {
    private let base: any Consumer
    private let defect: PortDefect
    /// It reads nothing that it is assigned.
    private let isBlind: Bool

    init(_ base: any Consumer, _ defect: PortDefect, isBlind: Bool) {
        self.base = base
        self.defect = defect
        self.isBlind = isBlind
    }

    var topics: [String] { base.topics }

    func subscribe(to topic: String, listener: any RebalanceListener) throws(LogError) {
        try base.subscribe(to: topic, listener: listener)
    }

    func incrementalAssign(_ partitions: [(TopicPartition, StartOffset)]) throws(LogError) {
        if isBlind { return }
        try base.incrementalAssign(
            partitions.map { place, start in
                let isSkipped = defect == .exchangeFromItsEnd && place.topic.hasSuffix(".exchange")
                return (place, isSkipped ? .latest : start)
            })
    }

    func incrementalUnassign(_ partitions: [TopicPartition]) throws(LogError) {
        if !isBlind { try base.incrementalUnassign(partitions) }
    }

    func seek(_ positions: [(TopicPartition, Offset)], timeout: Duration) throws(LogError) -> [TopicPartition] {
        if defect == .clientPositions { return [] }
        return try base.seek(positions, timeout: timeout)
    }

    func poll(maximum: Int, timeout: Duration) -> ConsumedBatch { base.poll(maximum: maximum, timeout: timeout) }

    func committed(
        _ partitions: [TopicPartition], timeout: Duration
    ) throws(LogError) -> [TopicPartition: CommittedOffset] {
        let committed = try base.committed(partitions, timeout: timeout)
        return defect == .outcomeTakenForFailure ? committed.mapValues(\.withoutNumber) : committed
    }

    func watermarks(of partition: TopicPartition, timeout: Duration) throws(LogError) -> Watermarks {
        try base.watermarks(of: partition, timeout: timeout)
    }

    func knownEnd(of partition: TopicPartition) -> Offset? { base.knownEnd(of: partition) }

    func groupMetadata() -> (any GroupMetadata)? { base.groupMetadata() }

    func close() { base.close() }
}

private final class DefectiveAdmin: ForwardingAdmin {
    let base: any Admin
    private let defect: PortDefect

    init(_ base: any Admin, _ defect: PortDefect) {
        self.base = base
        self.defect = defect
    }

    func endOffsets(
        of partitions: [TopicPartition], isolation: IsolationLevel, timeout: Duration
    ) throws(LogError) -> [TopicPartition: Offset] {
        var ends = try base.endOffsets(of: partitions, isolation: isolation, timeout: timeout)
        switch defect {
        case .restoreToStable:
            let changelogs = partitions.filter { $0.topic.hasSuffix(".state") }
            if changelogs.isEmpty { break }
            ends.merge(try base.endOffsets(of: changelogs, isolation: .readCommitted, timeout: timeout)) { $1 }
        case .noBarrier:
            // Whoever asks for the exchange's ends alone asks for the barrier of local delivery.
            if partitions.allSatisfy({ $0.topic.hasSuffix(".exchange") }) { return ends.mapValues { _ in 0 } }
        default: break
        }
        return ends
    }
}

private final class DefectiveProducer: TransactionalProducer {
    private var base: any TransactionalProducer
    private let make: () throws(LogError) -> any TransactionalProducer
    private let defect: PortDefect
    private let slow: SlowFlush?
    /// It asks no coordinator for anything.
    private let isIdle: Bool
    let transactionalId: String
    private var held = HeldReloads()

    init(
        _ transactionalId: String, _ defect: PortDefect, _ slow: SlowFlush?, isIdle: Bool,
        _ make: @escaping () throws(LogError) -> any TransactionalProducer
    ) throws(LogError) {
        self.slow = slow
        self.make = make
        self.isIdle = isIdle
        base = try make()
        self.transactionalId = transactionalId
        self.defect = defect
    }

    func initialise(timeout: Duration) throws(TransactionError) {
        if !isIdle { try base.initialise(timeout: timeout) }
    }

    func begin() throws(TransactionError) { try base.begin() }

    /// Who is refused for an old epoch takes the next one, and goes on as if the transaction were the same.
    private func whateverTheEpoch(
        _ call: (any TransactionalProducer) throws(TransactionError) -> Void
    ) throws(TransactionError) {
        do throws(TransactionError) {
            try call(base)
        } catch {
            guard defect == .epochIgnored, case .fenced = error else { throw error }
            do throws(LogError) {
                let heir = try make()
                base.destroy()
                base = heir
            } catch {
                throw .fatal(error)
            }
            try base.initialise(timeout: .seconds(5))
            try base.begin()
            try call(base)
        }
    }

    func produce(
        topic: String, partition: Partition?, key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?,
        headers: [Header]
    ) throws(TransactionError) {
        let isPositions = topic.hasSuffix(".state") && key.map { Array($0) } == [0]
        if defect == .positionsNotInState && isPositions { return }
        if defect == .heldReloadDropped, let value, held.isHeld(topic, value) { return }
        if defect == .otherContent, topic == TopicNames().timelines, let value {
            let text = String(decoding: value, as: UTF8.self)
            let other = Array(text.replacing(#""status":"Charging""#, with: #""status":"Moving""#).utf8)
            let produced = other.withUnsafeBytes { value in
                Result { () throws(TransactionError) in
                    try base.produce(topic: topic, partition: partition, key: key, value: value, headers: headers)
                }
            }
            return try produced.get()
        }
        try whateverTheEpoch { (base) throws(TransactionError) in
            try base.produce(topic: topic, partition: partition, key: key, value: value, headers: headers)
        }
    }

    func sendOffsets(
        _ offsets: [(TopicPartition, CommittedOffset)], group: any GroupMetadata, timeout: Duration
    ) throws(TransactionError) {
        switch defect {
        case .noOffsets: return
        case .offsetOneTooLow:
            let lower = offsets.map { place, offset in
                (place, CommittedOffset(next: Offset(max(0, offset.next.rawValue - 1)), metadata: offset.metadata))
            }
            try base.sendOffsets(lower, group: group, timeout: timeout)
        case .claimNeverReleased:
            let open = offsets.map { place, offset in
                (
                    place,
                    CommittedOffset(
                        next: offset.next,
                        metadata: offset.metadata.replacingOccurrences(of: " released", with: " open"))
                )
            }
            try base.sendOffsets(open, group: group, timeout: timeout)
        default:
            try whateverTheEpoch { (base) throws(TransactionError) in
                try base.sendOffsets(offsets, group: group, timeout: timeout)
            }
        }
    }

    func commit(timeout: Duration) throws(TransactionError) {
        try slow?.checkDeadline()
        try whateverTheEpoch { (base) throws(TransactionError) in try base.commit(timeout: timeout) }
    }

    func abort(timeout: Duration) throws(TransactionError) { try base.abort(timeout: timeout) }
    func destroy() { base.destroy() }
}

extension CommittedOffset {
    /// The claim beside it with the number of the first commit.
    fileprivate var withoutNumber: CommittedOffset {
        let words = metadata.split(separator: " ")
        guard words.count == 3 else { return self }
        return CommittedOffset(next: next, metadata: "\(words[0]) 0 \(words[2])")
    }
}

/// Tells reloads that waited for a token from others: the bucket was empty after the one before, and is again.
private struct HeldReloads: ~Copyable {
    /// By recipient and configurations.
    private var remaining: [String: Int64] = [:]
    private var parser = JSONParser()

    mutating func isHeld(_ topic: String, _ value: UnsafeRawBufferPointer) -> Bool {
        guard topic == TopicNames().reloads, let reload = try? ReloadNotification.decode(value, with: &parser) else {
            return false
        }
        let isFree = reload.reason == .requested || reload.reason == .configurationChanged
        let name = "\(reload.recipient) \(reload.configurationIds)"
        defer { remaining[name] = reload.budget.remaining }
        return !isFree && reload.budget.remaining == 0 && remaining[name] == 0
    }
}
