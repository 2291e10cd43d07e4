import RecordLog
import Sinks

/// How long the records of a topic wait for a sink to read them, told from the ends that it has asked for.
struct SinkLag {
    private var partitions: [Partition: PartitionLag] = [:]
    private var looks = 0
    /// The longest time for which the first unread record of a partition can have waited at the last look; where
    /// nothing is known of that, the time for which it has waited at least. It is zero where none waited.
    private(set) var time = Duration.zero

    /// Takes in what a sink tells. The same look again changes nothing.
    ///
    /// - Parameters:
    ///   - places: the partitions at the last look.
    ///   - looks: the number of looks so far.
    ///   - wall: the time of day, to tell the age of a record.
    mutating func observe(_ places: [Partition: SinkReadPlace], looks: Int, now: Duration, wall: Instant) {
        guard looks != self.looks else { return }
        self.looks = looks
        time = .zero
        var seen: [Partition: PartitionLag] = [:]
        for (number, place) in places {
            var partition = partitions[number] ?? PartitionLag()
            let lastAge = place.lastTimestamp.flatMap {
                $0.milliseconds > 0 ? Duration(max(.zero, wall - $0)) : nil
            }
            let known = partition.observe(end: place.end, next: place.next, lastAge: lastAge, at: now)
            time = max(time, known ?? partition.waits.map { now - $0.since } ?? .zero)
            seen[number] = partition
        }
        partitions = seen
    }
}
