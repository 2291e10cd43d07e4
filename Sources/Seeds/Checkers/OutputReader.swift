import RecordLog
import Simulation

/// A read_committed reader outside the system: it sees each committed record once, in the order of its partition, and
/// notices where it cannot get on because of an open transaction.
final class OutputReader {
    private let cluster: MemoryCluster
    private let places: [TopicPartition]
    private var positions: [Offset]
    /// By place: which topic of its name it is.
    private var identities: [Int?]
    /// By partition: how a reader stands still before something that is written.
    private var heldUp: [HeldUp?]
    /// Those that are over.
    private var ended = Standstills()
    /// By topic, and then partition, for tests of single partitions.
    private(set) var recordsRead = 0

    fileprivate struct HeldUp {
        var since: Instant
        var at: Offset
        /// As it was judged last.
        var duration = ElapsedTime.zero
        var isHampered = false
    }

    init(_ cluster: MemoryCluster, topics: [String]) {
        self.cluster = cluster
        places = topics.flatMap { topic in
            (0..<Partition(cluster.partitionCount(of: topic))).map { TopicPartition(topic, $0) }
        }
        positions = Array(repeating: 0, count: places.count)
        heldUp = Array(repeating: nil, count: places.count)
        identities = places.map { cluster.identity(of: $0.topic) }
    }

    /// Reads on to the last stable offset of every partition.
    func read(_ take: (Record) -> Void) {
        for (index, place) in places.enumerated() {
            let identity = cluster.identity(of: place.topic)
            if identity != identities[index] { (identities[index], positions[index]) = (identity, 0) }
            let (records, next) = cluster.read(place, from: positions[index])
            positions[index] = next
            recordsRead += records.count
            for record in records { take(record) }
        }
    }

    /// True if no open transaction hides anything that is written.
    var seesAll: Bool {
        places.allSatisfy { place in
            let (stable, high) = cluster.ends(of: place)
            return stable == high
        }
    }

    /// Judges the standing still.
    ///
    /// - Parameters:
    ///   - excusedUntil: what stood still before that counts from then on only.
    ///   - limit: how long a reader may stand still.
    ///   - hampered: what stood still at that moment may do so for longer: nobody was there who knows why, or requests
    ///     about transactions were lost.
    func standstill(
        now: Instant, excusedUntil: Instant, limit: ElapsedTime, hampered: (at: Instant, limit: ElapsedTime)
    ) -> Symptom? {
        var worst: Symptom?
        for (index, place) in places.enumerated() {
            let (stable, high) = cluster.ends(of: place)
            guard stable < high, var known = heldUp[index], known.at == stable else {
                if let known = heldUp[index] { ended.note(known) }
                heldUp[index] = stable < high ? HeldUp(since: now, at: stable) : nil
                continue
            }
            let duration = now - max(known.since, excusedUntil)
            known.duration = max(known.duration, duration)
            known.isHampered = known.since <= hampered.at
            heldUp[index] = known
            if duration > (known.isHampered ? hampered.limit : limit) {
                worst = Symptom(.standstill, "\(place) at \(stable) of \(high) for \(duration.milliseconds) ms")
            }
        }
        return worst
    }

    /// All that were judged, those that last still included.
    var standstills: Standstills { heldUp.reduce(into: ended) { if let known = $1 { $0.note(known) } } }
}

extension Standstills {
    /// One that was looked at once was not judged.
    fileprivate mutating func note(_ known: OutputReader.HeldUp) {
        if known.duration > .zero { note(known.duration, isWide: known.isHampered) }
    }
}
