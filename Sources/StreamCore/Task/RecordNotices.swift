package import RecordLog

/// Records of a transaction that whoever watches is told of, such as its dead letters: a few by name, the rest as a
/// number.
package struct RecordNotices: Sendable {
    package struct Notice: Hashable, Sendable {
        package var topic: String
        package var partition: Partition
        package var offset: Offset
        package var reason: String
        /// The subject of the reason in short, such as `vehicle v1`; `nil` if it is the record alone.
        package var subject: String?
    }

    /// In the order in which they came.
    package private(set) var named: [Notice] = []
    package private(set) var more = 0

    /// A flood of them must not fill the memory.
    private let namedMax: Int

    /// - Parameter namedMax: how many are kept by name.
    init(namedMax: Int) {
        self.namedMax = namedMax
    }

    /// - Returns: whether it is told of by name.
    @discardableResult
    mutating func add(topic: String, _ origin: Origin, reason: String, subject: String? = nil) -> Bool {
        guard named.count < namedMax else {
            more += 1
            return false
        }
        named.append(
            Notice(
                topic: topic, partition: origin.partition, offset: origin.offset, reason: reason, subject: subject))
        return true
    }

    mutating func removeAll() {
        if named.isEmpty { return }
        named.removeAll()
        more = 0
    }
}
