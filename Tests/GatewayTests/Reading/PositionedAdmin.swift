import RecordLog
import Synchronization
import TestSupport

/// An admin of a cluster where a group has the positions that a test gives it.
final class PositionedAdmin: ForwardingAdmin {
    let base: any Admin
    private let positions = Mutex<[TopicPartition: Offset]>([:])

    init(_ base: any Admin) {
        self.base = base
    }

    func commit(_ offset: Offset, in place: TopicPartition) { positions.withLock { $0[place] = offset } }

    func committedOffsets(
        group: String, partitions: [TopicPartition], timeout: Duration
    ) throws(LogError) -> [TopicPartition: CommittedOffset] {
        positions.withLock { positions in
            positions.filter { partitions.contains($0.key) }.mapValues { CommittedOffset(next: $0, metadata: "") }
        }
    }
}
