import StreamCore

// The numbers by which a configuration knows what of its sources is current. Each is a type of its own, so that none
// can be taken for the other or for the revision of a timeline.

/// The version of a configuration's subscriptions: a counter of the configuration's task that never starts anew. A
/// source answers the newest version that it knows; an update of an older one does not count.
struct SubscriptionVersion: Hashable, Comparable {
    var rawValue: UInt64

    init(_ value: UInt64) {
        rawValue = value
    }

    static func < (left: SubscriptionVersion, right: SubscriptionVersion) -> Bool { left.rawValue < right.rawValue }
}

/// The revision of a vehicle or a calendar: a counter in its state, which grows with everything that changes it. An
/// update of an older revision than one that was seen does not count.
struct SourceRevision: Hashable, Comparable {
    var rawValue: UInt64

    init(_ value: UInt64) {
        rawValue = value
    }

    mutating func advance() { rawValue += 1 }

    static func < (left: SourceRevision, right: SourceRevision) -> Bool { left.rawValue < right.rawValue }
}

extension SubscriptionVersion: ExpressibleByIntegerLiteral, StateValue {
    init(integerLiteral value: UInt64) { self.init(value) }

    func encode(into writer: inout ByteWriter) { writer.write(varint: rawValue) }

    init(from reader: inout ByteReader) throws(CorruptBytes) { rawValue = try reader.varint() }
}

extension SourceRevision: ExpressibleByIntegerLiteral, StateValue {
    init(integerLiteral value: UInt64) { self.init(value) }

    func encode(into writer: inout ByteWriter) { writer.write(varint: rawValue) }

    init(from reader: inout ByteReader) throws(CorruptBytes) { rawValue = try reader.varint() }
}
