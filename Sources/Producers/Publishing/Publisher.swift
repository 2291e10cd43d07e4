package import RecordLog

/// Publishes what sources make, at a pace. Synchronous: runs on a dedicated thread that the caller owns.
///
/// Record timestamps are the time of producing; data time is in the value alone (M12).
package final class Publisher {
    private let producer: any PlainProducer
    private let clock: any PacingClock
    private let shouldStop: () -> Bool
    private let progress: (PublishProgress) -> Void
    private let healthy: () -> Void
    /// Times on the clock: when it was read last, and when the health was checked last.
    private var now = Duration.zero
    private var checked = Duration.zero
    private var acknowledged = 0

    /// - Parameters:
    ///   - shouldStop: asked before each record and at least ten times a second while waiting.
    ///    - progress: called at most four times a second of the clock, and once at the end.
    ///    - healthy: called at most once a second while records are acknowledged or none waits for that.
    package init(
        producer: any PlainProducer, clock: any PacingClock, shouldStop: @escaping () -> Bool = { false },
        progress: @escaping (PublishProgress) -> Void = { _ in }, healthy: @escaping () -> Void = {}
    ) {
        self.producer = producer
        self.clock = clock
        self.shouldStop = shouldStop
        self.progress = progress
        self.healthy = healthy
    }

    /// Publishes a source to a topic until it ends, `limit` records are out, or `shouldStop`; then waits until all of
    /// them are acknowledged. The key alone decides the partition (Java's murmur2).
    ///
    /// - Throws: `input` after all records before the problem have been acknowledged; `log` if the producer gives up,
    ///   and then some of the records may be missing.
    package func publish(
        _ source: any RecordSource, to topic: String, pacing: Pacing = .asFastAsPossible, limit: Int? = nil,
        flushTimeout: Duration = .seconds(60)
    ) throws(PublishError) -> PublishSummary {
        var summary = PublishSummary()
        let begin = clock.now
        (now, checked, acknowledged) = (begin, begin - Self.healthInterval, 0)
        var pacer = Pacer(pacing, begin: begin)
        var reported = begin
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
            guard try wait(until: pacer.due(record, clock), sent: summary.records) else { break }
            guard try produce(record, to: topic) else { break }
            summary.count(record)
            if now - reported >= Self.progressInterval {
                reported = now
                progress(state(of: source, summary, since: begin, limit))
            }
        }
        do throws(LogError) {
            try producer.flush(timeout: flushTimeout)
        } catch {
            throw .log(error)
        }
        (summary.skipped, summary.skippedCount) = (source.skipped, source.skippedCount)
        summary.elapsed = clock.now - begin
        summary.wasStopped = shouldStop()
        progress(state(of: source, summary, since: begin, limit))
        if let problem { throw .input(problem) }
        return summary
    }

    private static let progressInterval = Duration.milliseconds(250)
    private static let healthInterval = Duration.seconds(1)
    private static let waitMax = Duration.milliseconds(100)
    /// The time by which a record may be late. Records are sent in small bursts: at thousands a second, a sleep for
    /// each would cost more than the time that it waits for.
    private static let burst = Duration.milliseconds(5)

    /// Sends a record, and waits for room in the producer's queue as long as a broker is away.
    ///
    /// - Returns: false if the caller asked to stop first.
    private func produce(_ record: SourceRecord, to topic: String) throws(PublishError) -> Bool {
        while true {
            do throws(LogError) {
                try enqueue(record, to: topic)
                return true
            } catch {
                guard error.code == .queueFull else { throw .log(error) }
                if shouldStop() { return false }
            }
        }
    }

    private func enqueue(_ record: SourceRecord, to topic: String) throws(LogError) {
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
    }

    /// - Returns: false if the caller asked to stop first.
    private func wait(until due: Duration, sent: Int) throws(PublishError) -> Bool {
        while true {
            now = clock.now
            try checkHealth(sent: sent)
            let rest = due - now
            if rest <= .zero { return true }
            if shouldStop() { return false }
            clock.wait(for: min(max(rest, Self.burst), Self.waitMax))
        }
    }

    private func checkHealth(sent: Int) throws(PublishError) {
        guard now - checked >= Self.healthInterval else { return }
        checked = now
        do throws(LogError) {
            let waiting = try producer.unacknowledged()
            defer { acknowledged = sent - waiting }
            if waiting == 0 || sent - waiting > acknowledged { healthy() }
        } catch {
            throw .log(error)
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
