import Arguments

/// The numbers of partitions that a verb takes.
///
/// Kafka itself sets no bound; above this one a number is a slip of the hand.
enum PartitionCounts {
    private static let allowed = 1...10_000

    /// - Parameter name: how the message calls the number.
    /// - Throws: a message that says what is allowed.
    static func require(_ count: Int, as name: String) throws(ValidationError) {
        guard allowed.contains(count) else {
            throw ValidationError("\(name) must be from \(allowed.lowerBound) to \(allowed.upperBound).")
        }
    }
}
