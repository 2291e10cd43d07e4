package import RecordLog

/// How far a publication is.
package struct PublishProgress: Hashable, Sendable {
    package var records: Int
    /// Of keys and values.
    package var bytes: Int
    /// From 0 to 1; nil where the end is not known.
    package var fractionDone: Double?
    package var elapsed: Duration

    /// Records per second since the beginning.
    package var rate: Double {
        elapsed > .zero ? Double(records) / (elapsed / .seconds(1)) : 0
    }
}

/// What was published.
package struct PublishSummary: Hashable, Sendable {
    /// All of them, tombstones too.
    package var records = 0
    /// Of keys and values.
    package var bytes = 0
    package var tombstones = 0
    /// What the source left out, and why.
    package var skipped: [InputProblem] = []
    /// How many parts the source left out.
    package var skippedCount = 0
    package var elapsed = Duration.zero
    /// The caller asked to stop before the source ended.
    package var wasStopped = false

    package init() {}

    mutating func count(_ record: SourceRecord) {
        records += 1
        bytes += record.key.count + (record.value?.count ?? 0)
        if record.value == nil { tombstones += 1 }
    }
}

/// Why a publication ended early.
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
