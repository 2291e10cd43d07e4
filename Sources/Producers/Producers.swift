/// Producers puts test data and recorded data into Tideline's input topics: replays of CSV recordings, JSON files,
/// calendars, and a simulated fleet.
///
/// A *source* makes records and knows nothing of Kafka or of time; `Publisher` drives a source into a producer at a
/// pace. Everything is synchronous and meant for one dedicated thread.
package import RecordLog

/// Makes the records of one input, one after the other.
///
/// Owned by one thread. After `nil` or an error it is of no more use.
package protocol RecordSource: AnyObject {
    /// The next record; nil at the end. A simulation never ends.
    ///
    /// - Throws: the input cannot be read on; what came before is good.
    func next() throws(InputProblem) -> SourceRecord?

    /// How much of the input is behind, from 0 to 1; nil where nobody knows (standard input, a simulation).
    var fractionDone: Double? { get }

    /// Parts of the input that were left out because they cannot be used, in the order of the input.
    var skipped: [InputProblem] { get }

    /// How many parts were left out, where not all are named.
    var skippedCount: Int { get }
}

extension RecordSource {
    package var skipped: [InputProblem] { [] }
    package var skippedCount: Int { skipped.count }
}

/// A record to publish.
package struct SourceRecord: Hashable, Sendable {
    package var key: [UInt8]
    /// Nil is a tombstone.
    package var value: [UInt8]?
    package var headers: [Header]
    /// The data's own time, at which the record would arrive in the real world; nil where it has none.
    package var due: Instant?

    package init(key: [UInt8], value: [UInt8]?, headers: [Header] = [], due: Instant? = nil) {
        self.key = key
        self.value = value
        self.headers = headers
        self.due = due
    }
}
