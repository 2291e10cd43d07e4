/// The dead letters of a transaction as whoever watches is told of them: a few by name, the rest as a number.
package struct DeadLetterNotices: Sendable {
    package struct Notice: Hashable, Sendable {
        package var topic: String
        package var partition: Int32
        package var offset: Int64
        package var reason: String
    }

    /// In the order in which they came.
    package private(set) var named: [Notice] = []
    package private(set) var more = 0

    /// More at once help nobody, and a flood of them must not fill the memory.
    private static let namedMax = 10

    mutating func add(topic: String, _ origin: Origin, reason: String) {
        guard named.count < Self.namedMax else {
            more += 1
            return
        }
        named.append(Notice(topic: topic, partition: origin.partition, offset: origin.offset, reason: reason))
    }

    mutating func removeAll() {
        named.removeAll()
        more = 0
    }
}
