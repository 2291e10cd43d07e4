/// The number of a configuration's content (T6): 0 before the first timeline, then 1 and one more with each content
/// that differs. A deletion does not reset it. It is neither a count of timelines nor the revision of a source.
package struct Revision: Hashable, Comparable, Sendable {
    package var rawValue: Int64

    package init(_ value: Int64) {
        rawValue = value
    }

    /// The revision of the next content that differs.
    package var next: Revision { Revision(rawValue + 1) }

    package static func < (left: Revision, right: Revision) -> Bool { left.rawValue < right.rawValue }
}

extension Revision: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) { self.init(value) }
}

extension Revision: CustomStringConvertible {
    /// The number in decimal digits.
    package var description: String { String(rawValue) }
}
