package import RecordLog

/// Publishes what sources make, at a pace. Synchronous: runs on a dedicated thread that the caller owns.
///
/// Record timestamps are the time of producing; data time is in the value alone (DESIGN.md section 3).
package final class Publisher {
    private let producer: any PlainProducer
    private let clock: any PacingClock
    private let shouldStop: () -> Bool
    private let progress: (PublishProgress) -> Void

    /// - Parameters:
    ///   - shouldStop: asked before each record and at least ten times a second while waiting.
    ///   - progress: told at most four times a second of the clock, and once at the end.
    package init(
        producer: any PlainProducer, clock: any PacingClock, shouldStop: @escaping () -> Bool = { false },
        progress: @escaping (PublishProgress) -> Void = { _ in }
    ) {
        self.producer = producer
        self.clock = clock
        self.shouldStop = shouldStop
        self.progress = progress
    }

    /// Publishes a source to a topic until it ends, `limit` records are out, or `shouldStop`; then waits until all of
    /// them are acknowledged. The key alone decides the partition (Java's murmur2).
    ///
    /// - Throws: `input` after all records before the problem have been acknowledged; `log` where the producer gives
    ///   up, and then some of the records may be missing.
    package func publish(
        _ source: any RecordSource, to topic: String, pacing: Pacing = .asFastAsPossible, limit: Int? = nil,
        flushTimeout: Duration = .seconds(60)
    ) throws(PublishError) -> PublishSummary {
        var summary = PublishSummary()
        let begin = clock.now
        var pacer = Pacer(pacing, begin: begin)
        var told = begin
        var problem: InputProblem?
        while summary.records < limit ?? .max, !shouldStop() {
            let record: SourceRecord
            do throws(InputProblem) {
                guard let next = try source.next() else { break }
                record = next
            } catch {
                // An input that was cut off by the stop is not at fault.
                if !shouldStop() { problem = error }
                break
            }
            guard wait(until: pacer.due(record)) else { break }
            try produce(record, to: topic)
            summary.count(record)
            if clock.now - told >= Self.progressInterval {
                told = clock.now
                progress(state(of: source, summary, since: begin, limit))
            }
        }
        do throws(LogError) {
            try producer.flush(timeout: flushTimeout)
        } catch {
            throw .log(error)
        }
        summary.skipped = source.skipped
        summary.elapsed = clock.now - begin
        summary.wasStopped = shouldStop()
        progress(state(of: source, summary, since: begin, limit))
        if let problem { throw .input(problem) }
        return summary
    }

    private static let progressInterval = Duration.milliseconds(250)
    private static let waitMax = Duration.milliseconds(100)

    private func produce(_ record: SourceRecord, to topic: String) throws(PublishError) {
        do throws(LogError) {
            try record.key.withUnsafeBufferPointer { key throws(LogError) in
                let key = UnsafeRawBufferPointer(key)
                guard let value = record.value else {
                    return try producer.produce(
                        topic: topic, partition: nil, key: key, value: nil, headers: record.headers)
                }
                try value.withUnsafeBufferPointer { value throws(LogError) in
                    try producer.produce(
                        topic: topic, partition: nil, key: key, value: UnsafeRawBufferPointer(value),
                        headers: record.headers)
                }
            }
        } catch {
            throw .log(error)
        }
    }

    /// - Returns: false where it was stopped first.
    private func wait(until due: Duration) -> Bool {
        while true {
            let rest = due - clock.now
            if rest <= .zero { return true }
            if shouldStop() { return false }
            clock.wait(for: min(rest, Self.waitMax))
        }
    }

    private func state(
        of source: any RecordSource, _ summary: PublishSummary, since begin: Duration, _ limit: Int?
    ) -> PublishProgress {
        let byCount = limit.map { $0 == 0 ? 1 : Double(summary.records) / Double($0) }
        let fraction = [byCount, source.fractionDone].compactMap(\.self).max()
        return PublishProgress(
            records: summary.records, bytes: summary.bytes, fractionDone: fraction, elapsed: clock.now - begin)
    }
}
