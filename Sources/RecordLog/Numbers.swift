// The numbers of the log, each a type of its own, so that none can be taken for another. They are public and inlinable
// because the hot path compares them for every record, and `package` is not inlined across modules. Hashing comes from
// `RawRepresentable`, which is inlinable too, and so does the equality of offsets; that of partitions is said here, for
// `Strideable` has one, too.

/// The number of a partition within its topic, from 0. A task has the number of its exchange partition.
///
/// Counts of partitions are `Int32`, as in Kafka's protocol; `0..<Partition(count)` are the partitions themselves.
@frozen
public struct Partition: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public var rawValue: Int32

    @inlinable
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    @inlinable
    public init(_ number: Int32) {
        rawValue = number
    }

    public var description: String { String(rawValue) }

    @inlinable
    public static func == (left: Partition, right: Partition) -> Bool { left.rawValue == right.rawValue }

    @inlinable
    public static func < (left: Partition, right: Partition) -> Bool { left.rawValue < right.rawValue }

    /// The number modulo a count: of an input partition, the task of so many that reads it.
    @inlinable
    public static func % (partition: Partition, count: Int32) -> Partition { Partition(partition.rawValue % count) }
}

extension Partition: Strideable, ExpressibleByIntegerLiteral {
    @inlinable
    public init(integerLiteral number: Int32) { self.init(number) }

    @inlinable
    public func distance(to other: Partition) -> Int { Int(other.rawValue) - Int(rawValue) }

    @inlinable
    public func advanced(by count: Int) -> Partition { Partition(rawValue + Int32(count)) }
}

extension Int {
    /// The number of a partition, for arrays that have an element for each.
    public init(_ partition: Partition) { self = Int(partition.rawValue) }
}

/// A place in a partition. As a position it is the offset of the *next* record to read.
@frozen
public struct Offset: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public var rawValue: Int64

    @inlinable
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    @inlinable
    public init(_ value: Int64) {
        rawValue = value
    }

    /// The offset after this one.
    @inlinable
    public var next: Offset { Offset(rawValue + 1) }

    public var description: String { String(rawValue) }

    @inlinable
    public static func < (left: Offset, right: Offset) -> Bool { left.rawValue < right.rawValue }
}

extension Offset: ExpressibleByIntegerLiteral {
    @inlinable
    public init(integerLiteral value: Int64) { self.init(value) }
}
