package import RecordLog

/// The progress of a publication.
package struct PublishProgress: Hashable, Sendable {
    /// The records that were handed to the producer.
    package var records: Int
    /// The bytes of keys and values.
    package var bytes: Int
    /// The part that is done, from 0 to 1; `nil` means that the end is not known.
    package var fractionDone: Double?
    /// The time since the beginning.
    package var elapsed: Duration

    /// Records per second since the beginning.
    package var rate: Double {
        elapsed > .zero ? Double(records) / (elapsed / .seconds(1)) : 0
    }
}

/// The result of a publication.
package struct PublishSummary: Hashable, Sendable {
    /// All records, tombstones included.
    package var records = 0
    /// The bytes of keys and values.
    package var bytes = 0
    /// The records without a value.
    package var tombstones = 0
    /// The first problems of parts that the source left out.
    package var skipped: [InputProblem] = []
    /// The number of parts that the source left out.
    package var skippedCount = 0
    /// The time from the beginning until all records were acknowledged.
    package var elapsed = Duration.zero
    /// True if the caller asked to stop before the source ended.
    package var wasStopped = false

    package init() {}

    mutating func count(_ record: SourceRecord) {
        records += 1
        bytes += record.key.count + (record.value?.count ?? 0)
        if record.value == nil { tombstones += 1 }
    }
}

/// The reason why a publication ended early.
package enum PublishError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The input is at fault: exit status 65.
    case input(InputProblem)
    /// The log is at fault.
    case log(LogError)

    package var description: String {
        switch self {
        case .input(let problem): problem.description
        case .log(let error): error.description
        }
    }
}
