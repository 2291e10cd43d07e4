import RecordLog

/// The positions by topic that a target has acknowledged, and those of commits that it has not answered. After a new
/// connection they tell whether the target still holds what it has acknowledged.
struct AcknowledgedPositions {
    private var acknowledged: [String: [Partition: SinkPosition]] = [:]
    private var sent: [String: [Partition: SinkPosition]] = [:]

    /// The target holds these.
    mutating func found(_ positions: [Partition: SinkPosition]?, of topic: String) {
        (acknowledged[topic], sent[topic]) = (positions, nil)
    }

    /// A commit of these is sent.
    mutating func send(_ positions: [Partition: SinkPosition], of topic: String) { sent[topic] = positions }

    /// All that was sent is answered.
    mutating func acknowledge() {
        acknowledged.merge(sent) { $1 }
        sent = [:]
    }

    /// Compares them with what a new connection finds: the acknowledged positions, or those of the commit whose answer
    /// never came.
    ///
    /// - Throws: `setBack` if it finds others; then none are known any more.
    mutating func verify(
        at place: String, _ read: (String) throws(SinkError) -> [Partition: SinkPosition]
    ) throws(SinkError) {
        for (topic, positions) in acknowledged.sorted(by: { $0.key < $1.key }) {
            let held = try read(topic)
            guard held == positions || held == sent[topic] else {
                (acknowledged, sent) = ([:], [:])
                throw .setBack(
                    SinkFault(
                        place: place, operation: "go on at",
                        reason: "its positions are others than it has acknowledged"))
            }
            found(held, of: topic)
        }
    }
}
