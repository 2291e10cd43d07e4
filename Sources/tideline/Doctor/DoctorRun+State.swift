import Diagnosis
import Foundation
import Messages
import Pipeline
import RecordLog
import StreamCore
import StreamRuntime

extension DoctorRun {
    /// A reset that was begun and has not ended.
    func lookAtReset(_ admin: any Admin) {
        do throws(CommandFailure) {
            try ResetJournal.refuse(environment, admin)
        } catch {
            let level: Finding.Level = error.status == .software ? .bad : .notice
            let (reason, remedy) = error.message.dividedAtSentence
            report.add([Finding(.state, own.reset, level, reason, remedy: remedy)])
        }
    }

    /// What a process would refuse at its start: state that is not its own, and outputs of another application.
    func lookAtWriters(_ found: [String: TopicDescription], _ admin: any Admin) {
        guard let exchange = found[own.exchange], found[own.state] != nil, found[environment.topics.timelines] != nil
        else { return }
        let layout = InternalTopics.Layout(
            partitions: exchange.partitions, sourcePartitions: topology.sources.map { found[$0.topic]?.partitions ?? 0 }
        )
        let settings = StreamSettings(environment.settings, own, .init())
        let subject = environment.topics.timelines
        do throws(CommandFailure) {
            let terms = try PipelineRun.checkState(
                environment, admin, topology, settings, layout, writer: pipeline.eventSource)
            let others = terms.writers.dropFirst()
            let text =
                others.isEmpty
                ? "nobody but \(pipeline.eventSource) has written the newest records"
                : "written by \(pipeline.eventSource), and by \(others.joined(separator: ", ")), which was accepted"
            report.add([Finding(.writers, subject, others.isEmpty ? .good : .notice, text)])
        } catch {
            let level: Finding.Level = error.status == .software ? .bad : .notice
            let (reason, remedy) = error.message.dividedAtSentence
            report.add([Finding(.writers, subject, level, reason, remedy: remedy)])
        }
    }

    func lookAtStateSize(_ found: [String: TopicDescription], _ admin: any Admin) {
        guard let tasks = found[own.state]?.partitions else { return }
        let places = (0..<Partition(tasks)).map { TopicPartition(own.state, $0) }
        do throws(LogError) {
            let lows = try admin.startOffsets(of: places, timeout: Self.patience)
            let ends = try admin.endOffsets(of: places, isolation: .readUncommitted, timeout: Self.patience)
            let records = places.reduce(0) { $0 + (ends[$1]?.rawValue ?? 0) - (lows[$1]?.rawValue ?? 0) }
            let check = StateCheck(
                environment.cluster, clientId: application + "-doctor", requests: environment.requests)
            let (recordBytes, failure) = check.recordBytes(of: own.state, partitions: tasks)
            if let failure { report.add([Finding(.state, own.state, .notice, "cannot be read: \(failure)")]) }
            report.add(try lostState(found, places.filter { lows[$0] == ends[$0] }, admin))
            let facts = StateFacts(
                topic: own.state, tasks: tasks, records: records, recordBytes: recordBytes,
                memoryBytes: FreeMemory.bytes)
            report.add([facts.finding])
        } catch {
            report.add([Finding(.state, own.state, .notice, "cannot be told: \(error)")])
        }
    }
}

extension DoctorRun {
    /// Tasks without state whose inputs the group has read: a process refuses them (R18).
    ///
    /// - Parameter empty: the partitions of the changelog in which there is nothing.
    private func lostState(
        _ found: [String: TopicDescription], _ empty: [TopicPartition], _ admin: any Admin
    ) throws(LogError) -> [Finding] {
        if empty.isEmpty { return [] }
        let tasks = Set(empty.map(\.partition.rawValue))
        let count = found[own.state]?.partitions ?? 1
        let inputs = topology.sources.filter(\.isRead).map(\.topic).flatMap { topic in
            (0..<Partition(found[topic]?.partitions ?? 0)).map { TopicPartition(topic, $0) }
        }.filter { tasks.contains($0.partition.rawValue % count) }
        let reader = try environment.cluster.makeConsumer(
            group: group, isolation: .readUncommitted, clientId: application + "-doctor")
        defer { reader.close() }
        let committed = try reader.committed(inputs, timeout: Self.patience).mapValues(\.next)
        let lows = try admin.startOffsets(of: inputs, timeout: Self.patience)
        // A position at the earliest record may be no more than a claim.
        let read = inputs.filter { place in committed[place].map { $0 > 0 && $0 != lows[place] } ?? false }
        guard let first = read.first else { return [] }
        let more = read.count > 1 ? " and \((read.count - 1).counted("other partition"))" : ""
        return [
            Finding(
                .state, own.state, .bad,
                "is empty, but the group has read \(first)\(more): what was made of it is lost",
                remedy: "Stop all processes, then \(command("reset --execute"))")
        ]
    }
}

/// The memory that this machine, or this container, has left.
private enum FreeMemory {
    /// `nil` if the system does not say it.
    static var bytes: Int? {
        let machine = text("/proc/meminfo")?.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
            .flatMap { Int($0.split(separator: " ")[1]) }.map { $0 * 1024 }
        guard let limit = number("/sys/fs/cgroup/memory.max"), let used = number("/sys/fs/cgroup/memory.current")
        else { return machine }
        return min(machine ?? .max, max(0, limit - used))
    }

    private static func number(_ path: String) -> Int? {
        text(path).flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }

    private static func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
}

extension String {
    /// The first sentence, and all others.
    fileprivate var dividedAtSentence: (String, String) {
        guard let end = firstRange(of: ". ") else { return (self, "") }
        return (String(self[..<end.lowerBound]), String(self[end.upperBound...]))
    }
}
