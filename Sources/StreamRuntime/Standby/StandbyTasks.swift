import RecordLog
import StreamCore

/// The standby copies of one thread: tasks that follow their changelogs and do nothing else, so that taking one of them
/// over begins where the copy is and not at the changelog's beginning. Owned by the stream's thread; never waits.
final class StandbyTasks {
    /// A copy of a task's state.
    final class Copy {
        let task: StreamTask
        /// The changelog is read up to here.
        fileprivate(set) var next: Offset = 0
        fileprivate(set) var records = 0

        /// What cannot be read is said while another process has the task, and not by the one that takes it over.
        fileprivate init(_ task: StreamTask) {
            self.task = task
            task.decodeAtOnce()
        }
    }

    private let make: () throws(LogError) -> any Consumer
    private let changelog: String
    /// Follows the changelogs, read_committed; made for the first copy.
    private var consumer: (any Consumer)?
    private(set) var copies: [Partition: Copy] = [:]
    /// Copies that could not be read, so that they are not tried again and again.
    private var refused: Set<Partition> = []
    private var lastPoll: Duration?
    /// The last poll brought as much as was asked for: more is there.
    private(set) var isBehind = false

    /// A copy that nobody has polled for longer is given up: what was removed from the changelog meanwhile would not be
    /// noticed, for compaction takes tombstones away after `delete.retention.ms`, and a topic can be made anew.
    static let pauseMax: Duration = .seconds(300)

    /// - Parameter make: makes a read_committed consumer.
    init(changelog: String, _ make: @escaping () throws(LogError) -> any Consumer) {
        self.changelog = changelog
        self.make = make
    }

    func close() { consumer?.close() }

    private func place(_ partition: Partition) -> TopicPartition { TopicPartition(changelog, partition) }

    /// Follows these tasks from now on, and no others.
    ///
    /// - Parameter makeTask: makes a task without state.
    /// - Returns: true if that changed anything.
    func follow(_ wanted: Set<Partition>, _ makeTask: (Partition) -> StreamTask) throws(LogError) -> Bool {
        let superfluous = Set(copies.keys).subtracting(wanted).sorted()
        let new = wanted.subtracting(copies.keys).subtracting(refused).sorted()
        if superfluous.isEmpty && new.isEmpty { return false }
        try drop(superfluous)
        if new.isEmpty { return true }
        if consumer == nil { consumer = try make() }
        // Nobody was to be polled until now.
        if copies.isEmpty { lastPoll = nil }
        try consumer?.incrementalAssign(new.map { (place($0), .earliest) })
        for partition in new { copies[partition] = Copy(makeTask(partition)) }
        return true
    }

    /// Gives copies up.
    func drop(_ partitions: [Partition]) throws(LogError) {
        let known = partitions.filter { copies[$0] != nil }
        if !known.isEmpty { try consumer?.incrementalUnassign(known.map(place)) }
        for partition in known { copies[partition] = nil }
    }

    /// Hands a copy over to the thread, which goes on with it as the task.
    ///
    /// - Returns: `nil` if there is none.
    func take(_ partition: Partition) throws(LogError) -> Copy? {
        // Whoever takes over says what cannot be read.
        refused.remove(partition)
        guard let copy = copies[partition] else { return nil }
        try drop([partition])
        return copy
    }

    /// Reads on, without waiting.
    ///
    /// - Returns: what could not be read; its copies are given up.
    func poll(maximum: Int, now: Duration) throws(LogError) -> [LogError] {
        guard let consumer, !copies.isEmpty else {
            isBehind = false
            return []
        }
        defer { lastPoll = now }
        if let lastPoll, now - lastPoll > Self.pauseMax {
            try drop(copies.keys.sorted())
            return []
        }
        let batch = consumer.poll(maximum: maximum, timeout: .zero)
        isBehind = batch.records.count >= maximum
        var lost: Set<Partition> = []
        var failures = batch.failures
        for record in batch.records {
            guard let copy = copies[record.partition], !lost.contains(record.partition) else { continue }
            // The topic is another one of its name.
            guard record.offset >= copy.next else {
                lost.insert(record.partition)
                continue
            }
            copy.next = record.offset.next
            copy.records += 1
            guard let key = record.key else { continue }
            do throws(CorruptBytes) {
                try copy.task.restore(key: key, value: record.value, offset: record.offset)
            } catch {
                refused.insert(record.partition)
                lost.insert(record.partition)
                failures.append(
                    LogError(
                        .other, name: "_UNREADABLE",
                        "\(place(record.partition)) cannot be read at offset \(record.offset): \(error)"))
            }
        }
        for end in batch.ends {
            guard let copy = copies[end.partition] else { continue }
            if end.offset < copy.next { lost.insert(end.partition) }
            copy.next = max(copy.next, end.offset)
        }
        // The partition is not named with the failure, so all begin anew.
        if batch.failures.contains(where: { [.unknownTopicOrPartition, .offsetOutOfRange].contains($0.code) }) {
            lost = Set(copies.keys)
        }
        try drop(lost.sorted())
        return failures
    }
}
