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
    /// By partition: since when a reader has stood still before something that is written.
    private var heldUp: [(since: Instant, at: Offset)?]
    /// By topic, and then partition, for tests of single partitions.
    private(set) var recordsRead = 0

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
            guard stable < high else {
                heldUp[index] = nil
                continue
            }
            guard let before = heldUp[index], before.at == stable else {
                heldUp[index] = (now, stable)
                continue
            }
            let duration = now - max(before.since, excusedUntil)
            if duration > (before.since <= hampered.at ? hampered.limit : limit) {
                worst = Symptom(.standstill, "\(place) at \(stable) of \(high) for \(duration.milliseconds) ms")
            }
        }
        return worst
    }
}
