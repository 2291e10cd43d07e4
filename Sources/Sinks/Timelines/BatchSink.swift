import RecordLog

/// A transactional sink that writes all records of a batch at once.
///
/// What the target refuses of one record takes no other along: the answers tell the records apart.
package protocol BatchSink: TimelineSink {
    /// Applies records, of timelines one of each configuration at most, in the order of each partition's offsets. In
    /// the same transaction it is asked again with what takes the place of those that it left out.
    ///
    /// - Returns: an answer for each.
    /// - Throws: `unavailable` or `refused`: then none of them is written.
    func write(_ records: [SinkRecord]) throws(SinkError) -> [SinkAnswer]
}

/// What became of a record that was to be written.
package enum SinkAnswer: Hashable, Sendable {
    case done(SinkOutcome)
    case leftOut(BadRecord)
}

extension BatchSink {
    package var isTransactional: Bool { true }

    package func write(_ record: SinkRecord) throws(SinkError) -> SinkOutcome {
        switch try write([record]).first {
        case .done(let outcome)?: return outcome
        case .leftOut(let bad)?: throw .unusable(bad)
        case nil: preconditionFailure("\(name) answers for each record")
        }
    }
}
