import RecordLog
import Simulation
import SplitMix
import StreamCore
import StreamRuntime

/// What has befallen the topics of a world.
struct TopicFaults {
    /// A sequence of its own: what happens to topics does not change what else happens.
    var random: SplitMix64
    /// The topic that is gone now.
    var missing: Missing?
    /// Inputs that were made again: each once, for a second time could not be told from the first.
    var remade: Set<String> = []
    /// Inputs whose records were removed before they were read.
    var cut: Set<String> = []
    /// Partitions whose readers had a position in the topic that is gone.
    var lost: Set<TopicPartition> = []

    struct Missing {
        var topic: String
        var partitions: Int32
        var until: Instant
        var isRefilled: Bool
    }
}

/// Topics that are deleted and made again, and records that are removed before they are read. What has to come of it
/// is only known where nobody is in the middle of reading: else there is no occasion.
extension World {
    /// Each kind happens with its probability.
    func befallTopics() {
        guard draw.system == .widgets else { return }
        if let missing = topics.missing, clock.now >= missing.until { bringTopicBack() }
        for kind in Misfortune.allCases where kind.isOfTopics {
            guard let probability = draw.probabilities[kind],
                Double.random(in: 0..<1, using: &topics.random) < probability
            else { continue }
            digest.note(kind.rawValue, clock.now.milliseconds)
            guard topics.missing == nil, isDoneToTopics(kind) else { continue }
            faults.note(kind)
            // What a reader waited for is gone with its topic.
            if kind == .outputRemade { excusedUntil = clock.now }
        }
    }

    private func isDoneToTopics(_ kind: Misfortune) -> Bool {
        switch kind {
        case .inputRemadeRunning: return remakeInput()
        case .inputRemadeStopped:
            stopEverybody()
            return remakeInput()
        case .outputRemade: return remakeOutput()
        case .inputRemovedUnread: return removeUnread()
        default: preconditionFailure("\(kind) does not befall topics")
        }
    }

    /// Makes the topic that is gone again.
    func bringTopicBack() {
        guard let missing = topics.missing else { return }
        topics.missing = nil
        digest.note("\(missing.topic) is back", clock.now.milliseconds)
        cluster.createTopic(
            missing.topic, partitions: missing.partitions, settings: system.settings(of: missing.topic))
        cluster.note(.topicRecreated)
        if missing.isRefilled { system.refill(missing.topic, self) }
    }

    // MARK: - Inputs

    private func remakeInput() -> Bool {
        let candidates = system.inputTopics.filter { !topics.remade.contains($0) && !topics.cut.contains($0) }
        guard let topic = candidates.randomElement(using: &topics.random), isQuiet else { return false }
        let places = places(of: topic)
        let read = places.compactMap { settledPosition(of: $0) }
        guard read.count == places.count, read.contains(where: { $0 > 0 }) else { return false }
        topics.remade.insert(topic)
        for (place, next) in zip(places, read) {
            if next > 0 { topics.lost.insert(place) }
            system.archive(place, readTo: next, isReadOn: !processes.isEmpty, self)
        }
        delete(topic)
        return true
    }

    /// Some records come, and are removed before anybody has read them.
    private func removeUnread() -> Bool {
        let candidates = system.inputTopics.filter { !topics.remade.contains($0) }
        guard let topic = candidates.randomElement(using: &topics.random), isQuiet else { return false }
        guard let place = system.feed(topic, self), let next = settledPosition(of: place) else { return false }
        topics.cut.insert(topic)
        system.archive(place, readTo: next, isReadOn: false, self)
        let end = cluster.ends(of: place).high.rawValue
        guard end > next.rawValue else { return false }
        cluster.removeRecords(
            of: place, before: Offset(Int64.random(in: next.rawValue + 1...end, using: &topics.random)))
        return true
    }

    /// Nobody runs, and nothing that somebody left is still to come, as far as waiting helps.
    private func stopEverybody() {
        for process in processes {
            if process.pausedUntil == nil { leave(process) } else { crash(process) }
        }
        endMarkersDelay()
        for _ in 0..<20 where !isQuiet { clock.advance(by: .seconds(1)) }
        everybodyAwayUntil = clock.now + .seconds(Int64.random(in: 1...20, using: &topics.random))
    }

    // MARK: - Outputs

    /// What was committed has been read by those outside.
    private func remakeOutput() -> Bool {
        guard let topic = system.outputTopics.randomElement(using: &topics.random), isQuiet else { return false }
        readOutputs()
        delete(topic)
        return true
    }

    private func delete(_ topic: String) {
        let gap = ElapsedTime(milliseconds: Int64.random(in: -1_000...3_000, using: &topics.random))
        topics.missing = .init(
            topic: topic, partitions: cluster.partitionCount(of: topic), until: clock.now + max(gap, .zero),
            isRefilled: Bool.random(using: &topics.random))
        cluster.deleteTopic(topic)
        digest.note("\(topic) is deleted", clock.now.milliseconds)
        if gap <= .zero { bringTopicBack() }
    }

    // MARK: - What is settled

    /// No transaction is open, and nothing is on its way.
    private var isQuiet: Bool { cluster.openTransactionDetails.isEmpty && cluster.requestsUnderWay == 0 }

    private func places(of topic: String) -> [TopicPartition] {
        (0..<Partition(cluster.partitionCount(of: topic))).map { TopicPartition(topic, $0) }
    }

    /// The position in the state; `nil` if a process has read on, so that nobody knows yet what becomes of that.
    private func settledPosition(of place: TopicPartition) -> Offset? {
        let next = committedPosition(of: place)
        let isReadOn = processes.flatMap(\.tasks).flatMap(\.positions).contains {
            $0.topicPartition == place && $0.next != next
        }
        return isReadOn ? nil : next
    }

    private func committedPosition(of place: TopicPartition) -> Offset {
        let sources = system.topology.sources
        guard let source = sources.firstIndex(where: { $0.topic == place.topic }) else { return 0 }
        let task = place.partition % draw.partitions
        let newest = cluster.records(draw.settings.stateTopic, partition: task).last { $0.key == [0] }
        let next = (newest?.value ?? []).withUnsafeBytes { bytes -> Offset? in
            let positions = TaskPositions()
            var reader = ByteReader(bytes)
            guard (try? positions.restore(of: sources, from: &reader)) != nil else { return nil }
            return positions.restoredNext(source: UInt8(source), partition: place.partition)
        }
        return next ?? 0
    }
}

extension Misfortune {
    /// True if it happens to topics of the pipeline.
    var isOfTopics: Bool {
        switch self {
        case .inputRemadeRunning, .inputRemadeStopped, .outputRemade, .inputRemovedUnread: true
        default: false
        }
    }

    /// True if nothing but the pipeline has an occasion for it.
    var isOfPipeline: Bool { isOfInput || isOfTopics }
}
