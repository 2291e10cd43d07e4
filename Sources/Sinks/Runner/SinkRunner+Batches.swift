import RecordLog

extension SinkRunner {
    /// Reads into the batch.
    func poll() throws(SinkRunError) {
        let polled = consumer.poll(maximum: settings.batchMaximum, timeout: settings.pollTimeout)
        for view in polled.records {
            let place = TopicPartition(settings.topic, view.partition)
            read[view.partition] = max(read[view.partition] ?? Offset(0), view.offset.next)
            summary.records += 1
            guard let key = view.key, let id = String(validating: key, as: UTF8.self) else {
                tellUnusable(place, view.offset, "the key is not the text of a configurationId")
                continue
            }
            batch.add(
                SinkRecord(
                    configurationId: id, value: view.value.map { Array($0) }, headers: polled.headers(of: view),
                    origin: place, offset: view.offset))
        }
        for end in polled.ends {
            read[end.partition] = max(read[end.partition] ?? Offset(0), end.offset)
        }
        for failure in polled.failures {
            if failure.code == .fatal { throw .log(failure) }
            notice(.log(failure))
        }
    }

    /// Writes the batch and keeps the positions.
    ///
    /// - Returns: false where it was stopped before that; the next run does it again.
    func write() throws(SinkRunError) -> Bool {
        guard !batch.isEmpty else { return true }
        // Should this be interrupted, the next run has to know how far a later record may have been written.
        if batch.isConflated {
            let begun = read.map { ($0, SinkPosition(next: kept[$0]?.next ?? Offset(0), begun: $1)) }
            guard try keep(Dictionary(uniqueKeysWithValues: begun)) else { return false }
        }
        for record in batch.records {
            do throws(SinkError) {
                guard let outcome = try persistently({ () throws(SinkError) in try sink.write(record) }) else {
                    return false
                }
                count(outcome)
            } catch .unusable(let reason) {
                tellUnusable(record.origin, record.offset, reason)
            } catch {
                throw .sink(error)
            }
        }
        guard try ask({ () throws(SinkError) in try sink.flush() }) != nil else { return false }
        summary.superseded += batch.superseded
        batch.removeAll()
        return try keep(read.mapValues { SinkPosition(next: $0) })
    }

    /// Keeps the positions behind markers at the end, so that the next run does not begin before them.
    func keepMarkers() throws(SinkRunError) {
        let isBehind = read.contains { partition, next in next > kept[partition]?.next ?? Offset(0) }
        if batch.isEmpty, isBehind { _ = try keep(read.mapValues { SinkPosition(next: $0) }) }
    }

    /// - Returns: false where it was stopped before that.
    private func keep(_ positions: [Partition: SinkPosition]) throws(SinkRunError) -> Bool {
        guard try ask({ () throws(SinkError) in try sink.keep(positions, of: settings.topic) }) != nil else {
            return false
        }
        kept = positions
        return true
    }

    private func count(_ outcome: SinkOutcome) {
        switch outcome {
        case .written: summary.written += 1
        case .removed: summary.removed += 1
        case .unchanged: summary.unchanged += 1
        }
    }

    private func tellUnusable(_ place: TopicPartition, _ offset: Offset, _ reason: String) {
        summary.unusable += 1
        notice(.unusable(place, offset, reason: reason))
    }

    // MARK: - Holding

    /// Asks the sink again and again while it is unavailable.
    ///
    /// - Returns: nil where it was stopped before the sink answered.
    func ask<Answer>(_ question: () throws(SinkError) -> Answer) throws(SinkRunError) -> Answer? {
        do throws(SinkError) {
            return try persistently(question)
        } catch {
            throw .sink(error)
        }
    }

    private func persistently<Answer>(_ question: () throws(SinkError) -> Answer) throws(SinkError) -> Answer? {
        var delay = settings.retryDelay
        while true {
            do throws(SinkError) {
                return try question()
            } catch {
                guard error.isRetriable else { throw error }
                notice(.holding(error, retryIn: delay))
            }
            let end = clock.now + delay
            while clock.now < end {
                if shouldStop() { return nil }
                clock.wait(for: min(end - clock.now, .milliseconds(100)))
            }
            delay = min(delay * 2, settings.retryDelayMax)
        }
    }
}
