import Pipeline
package import RecordLog
package import StreamCore
import Timelines

/// The tasks of a topology under a virtual clock, driven directly: at each instant what is due and what comes in is
/// processed and committed, messages between tasks included, until nothing is left to do.
///
/// What a stream thread and the log do beside that is left out: offsets, rebalances, and positions but for the one that
/// says in which format state is.
package final class VirtualTasks {
    let topology: Topology
    let partitions: Int32
    private(set) var tasks: [StreamTask] = []
    /// By task, as of its last commit or restore.
    private var dues: [Instant?] = []
    /// By task; nil: nobody is going to restore anything, so nothing is kept.
    private var changelogs: [CompactedChangelog]?
    /// On their way to tasks, first in first out.
    private var messages: [(partition: Partition, message: LocalMessage)] = []
    /// By task: it took part in the open transaction.
    private var isActive: [Bool] = []
    /// By source and partition.
    private var nextOffsets: [[Offset]]
    private var now = Instant(milliseconds: 0)
    /// After so many more deliveries the open transaction is interrupted; nil: never.
    private var deliveriesLeft: Int?
    /// What was committed and not taken yet.
    package var outputs = OutputBuffer()
    package private(set) var transactions = 0

    private struct Interrupted: Error {}

    /// A step that goes on longer than this goes on for ever.
    package var transactionsMax = 1_000

    /// - Parameter keepsChangelogs: whether tasks are going to be restored.
    package init(_ topology: Topology, partitions: Int32, keepsChangelogs: Bool) {
        self.topology = topology
        self.partitions = partitions
        nextOffsets = topology.sources.map { _ in Array(repeating: 0, count: Int(partitions)) }
        changelogs = keepsChangelogs ? Array(repeating: CompactedChangelog(), count: Int(partitions)) : nil
        tasks = (0..<Partition(partitions)).map { task($0) }
        for task in tasks {
            task.begin()
            addPosition(to: task)
        }
        dues = tasks.map(\.nextDue)
        isActive = tasks.map { _ in false }
    }

    private func task(_ partition: Partition) -> StreamTask {
        StreamTask(partition: partition, partitions: partitions, topology: topology, router: self)
    }

    /// A task of its own begins with a position, so that its first commit writes in which format its state is. Without
    /// that a restore takes the state for one of a release that knew no formats.
    private func addPosition(to task: StreamTask) {
        let next = task.positions.restoredNext(source: TaskPositions.exchange, partition: task.partition)
        _ = task.positions.add(source: TaskPositions.exchange, partition: task.partition, next: next ?? 0)
    }

    /// The keys and slots of all stores of all tasks together.
    package var slots: (keys: Int, slots: Int) {
        tasks.flatMap(\.slotCounts).reduce((0, 0)) { ($0.0 + $1.keys, $0.1 + $1.slots) }
    }

    /// When the earliest timer of all is due.
    package var nextDue: Instant? { dues.lazy.compactMap { $0 }.min() }

    // MARK: - A step

    /// Moves the clock, and does all that is to be done then.
    ///
    /// - Parameter interruption: what happens to this step's first transaction, which is then made again.
    package func step(at instant: Instant, _ inputs: [FleetDay.Input], interruption: Interruption? = nil) {
        precondition(instant >= now, "The clock never goes back.")
        now = instant
        let records = inputs.map { place($0) }
        if let interruption {
            deliveriesLeft = interruption.deliveries
            do throws(Interrupted) {
                _ = try transact(records)
                // All was done before it could strike: what was not committed is lost all the same.
            } catch {}
            deliveriesLeft = nil
            recover(losing: interruption.tasks)
        }
        var rest = records
        for _ in 0..<transactionsMax {
            do throws(Interrupted) {
                guard try transact(rest) else { return endStep() }
            } catch {
                preconditionFailure("Nothing interrupts here.")
            }
            commit()
            rest = []
        }
        preconditionFailure("The tasks go round for ever at \(instant.rfc3339).")
    }

    /// An input where it lies in the log.
    private struct Placed {
        var source: UInt8
        var partition: Partition
        var offset: Offset
        var key: [UInt8]
        var value: [UInt8]?
    }

    private func place(_ input: FleetDay.Input) -> Placed {
        let partition = input.partition(of: partitions)
        let offset = nextOffsets[input.source][Int(partition)]
        nextOffsets[input.source][Int(partition)] = offset.next
        return Placed(
            source: UInt8(input.source), partition: partition, offset: offset, key: Array(input.key.utf8),
            value: input.value.map { Array($0.utf8) })
    }

    /// - Returns: whether there is anything to commit.
    private func transact(_ records: [Placed]) throws(Interrupted) -> Bool {
        for record in records {
            try spend()
            activate(record.partition)
            process(record)
            try deliver()
        }
        for task in tasks where dues[Int(task.partition)].map({ $0 <= now }) ?? false {
            try spend()
            activate(task.partition)
            task.punctuate()
            try deliver()
        }
        repeat {
            for task in tasks where isActive[Int(task.partition)] { task.flush() }
        } while try deliver()
        return tasks.contains { isActive[Int($0.partition)] && $0.isDirty }
    }

    private func process(_ record: Placed) {
        record.key.withUnsafeBytes { key in
            bytes(of: record.value) { value in
                let view = RecordView(
                    topic: Int32(record.source), partition: record.partition, offset: record.offset, timestamp: now,
                    key: key, value: value, handle: nil)
                tasks[Int(record.partition)].process(view, source: record.source)
            }
        }
    }

    private func bytes(of value: [UInt8]?, _ body: (UnsafeRawBufferPointer?) -> Void) {
        guard let value else { return body(nil) }
        value.withUnsafeBytes { body($0) }
    }

    private func activate(_ partition: Partition) {
        if isActive[Int(partition)] { return }
        isActive[Int(partition)] = true
        tasks[Int(partition)].advance(to: now)
    }

    private func spend() throws(Interrupted) {
        guard let left = deliveriesLeft else { return }
        if left == 0 { throw Interrupted() }
        deliveriesLeft = left - 1
    }

    /// - Returns: whether there was any message.
    @discardableResult
    private func deliver() throws(Interrupted) -> Bool {
        if messages.isEmpty { return false }
        var index = 0
        while index < messages.count {
            try spend()
            let (partition, message) = messages[index]
            index += 1
            activate(partition)
            tasks[Int(partition)].receive(message)
        }
        messages.removeAll(keepingCapacity: true)
        return true
    }

    private func endStep() {
        for index in tasks.indices where isActive[index] {
            isActive[index] = false
            dues[index] = tasks[index].nextDue
        }
    }

    private func commit() {
        transactions += 1
        for task in tasks where isActive[Int(task.partition)] {
            task.context.outputs.forEach { entry, key, value in
                outputs.append(
                    topic: entry.topic, partition: nil, key: key, value: value, headers: entry.headers)
            }
            task.context.outputs.removeAll()
            task.captureChangelog { key, value in
                changelogs?[Int(task.partition)].append(key: key, value: value)
            }
            task.commit()
            dues[Int(task.partition)] = task.nextDue
        }
    }

    // MARK: - Recovery

    /// The open transaction is aborted: tasks that were lost are restored from their changelogs, the others go back.
    private func recover(losing lost: [Partition]) {
        messages.removeAll()
        for index in tasks.indices {
            if lost.contains(Partition(Int32(index))) {
                tasks[index] = restored(Partition(Int32(index)))
            } else if isActive[index] {
                _ = tasks[index].revert()
            }
            isActive[index] = false
            dues[index] = tasks[index].nextDue
        }
    }

    private func restored(_ partition: Partition) -> StreamTask {
        guard let changelogs else { preconditionFailure("No changelogs were kept.") }
        let task = task(partition)
        do {
            try changelogs[Int(partition)].forEach { key, value throws(CorruptBytes) in
                try task.restore(key: key, value: value)
            }
            task.advance(to: now)
            try task.finishRestore()
        } catch {
            preconditionFailure("A changelog of these tasks cannot be read: \(error)")
        }
        precondition(task.format == StateFormat.newest, "All state of these tasks says its format.")
        addPosition(to: task)
        return task
    }
}

extension VirtualTasks: MessageRouter {
    package func staysWithin(to partition: Partition) -> Bool { true }

    package func deliver(_ message: LocalMessage, to partition: Partition) {
        messages.append((partition, message))
    }

    package func route(_ envelope: [UInt8], key: UnsafeRawBufferPointer, to partition: Partition) {
        preconditionFailure("These tasks are of one thread.")
    }
}
