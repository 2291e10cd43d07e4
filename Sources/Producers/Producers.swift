// Producers: test data and recorded data for Tideline's input topics.
//
// It must not know how records are processed, nor which settings there are: a source makes records and knows nothing of
// Kafka or of time, and `Publisher` sends a source's records at a pace. Everything is synchronous and meant for one
// dedicated thread.
//
// Begin with `RecordSource` below. The sources are replays of recordings (`Replay`), JSON that is judged before it is
// sent (`JSON`, `JSONReplay` first), iCalendar files (`Calendars`, `CalendarChanges` first), a simulated fleet
// (`Fleet/FleetSimulator`), its calendars and widgets (`Worlds`), and their readers (`Readers/ReaderFleet`). `Input`
// has the bytes of files, `Published` what a topic holds already, `Publishing` the way out.

package import RecordLog

/// Makes the records of one input, one after the other.
///
/// Owned by one thread. After `nil` or an error it is of no more use.
package protocol RecordSource: AnyObject {
    /// The next record; `nil` at the end. A simulation never ends.
    ///
    /// - Throws: if the input cannot be read on. The records before are good.
    func next() throws(InputProblem) -> SourceRecord?

    /// The part of the input that is behind, from 0 to 1; `nil` if nobody knows it (standard input, a simulation).
    var fractionDone: Double? { get }

    /// Parts of the input that were left out because they cannot be used, in the order of the input.
    var skipped: [InputProblem] { get }

    /// The number of parts that were left out; `skipped` may name fewer.
    var skippedCount: Int { get }
}

extension RecordSource {
    package var skipped: [InputProblem] { [] }
    package var skippedCount: Int { skipped.count }
}

/// A record to publish.
package struct SourceRecord: Hashable, Sendable {
    /// The key, which decides the partition.
    package var key: [UInt8]
    /// The value; `nil` is a tombstone.
    package var value: [UInt8]?
    package var headers: [Header]
    /// The data's own time, at which the record would arrive in the real world; `nil` if it has none.
    package var due: Instant?

    package init(key: [UInt8], value: [UInt8]?, headers: [Header] = [], due: Instant? = nil) {
        self.key = key
        self.value = value
        self.headers = headers
        self.due = due
    }
}
