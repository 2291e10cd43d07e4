/// Counts the failures of a server that may be its own, such as silence and status 503. After some of them in a row,
/// of more than one lane, the breaker opens: from then on one request at a time finds out whether the server is back.
///
/// One parcel alone never opens it: that may fail for its own sake, and waits longer each time anyway.
struct HostBreaker: Hashable {
    /// So many failures open it.
    static let failuresMax = 5
    /// A parcel that finds a probe under way looks again after so long.
    static let look = Duration.seconds(1)

    /// Returns how long after a pause a parcel goes that has failed so often: the probe is one that has failed least,
    /// for those that fail for their own sake would be each probe.
    static func place(_ attempts: Int) -> Duration { .milliseconds(min(attempts, 1000)) }

    /// Those in a row.
    private(set) var failures = 0
    private var firstLane: String?
    private var isOfSeveral = false
    private(set) var isOpen = false
    private(set) var isProbing = false

    /// Counts a failure.
    ///
    /// - Returns: true if the breaker opens by it.
    mutating func fail(_ lane: String) -> Bool {
        failures += 1
        if let firstLane, firstLane != lane { isOfSeveral = true }
        firstLane = firstLane ?? lane
        guard !isOpen, isOfSeveral, failures >= Self.failuresMax else { return false }
        isOpen = true
        return true
    }

    /// True if a request may go. While the breaker is open, this request is the probe.
    mutating func admits() -> Bool {
        guard isOpen else { return true }
        defer { isProbing = true }
        return !isProbing
    }

    mutating func endProbe() { isProbing = false }
}
