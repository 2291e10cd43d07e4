import RecordLog

/// What a run tells of itself while it goes on.
extension SinkRunner {
    /// A failure needs no notice of its own: reading has the same, and tells it.
    func lookForEnds() {
        guard let interval = context.reading.lagInterval, !reader.next.isEmpty else { return }
        if let endsAsked, context.clock.now - endsAsked < interval { return }
        endsAsked = context.clock.now
        let places = reader.next.keys.sorted().map { TopicPartition(reader.topic, $0) }
        ends = try? context.admin.endOffsets(
            of: places, isolation: .readUncommitted, timeout: context.reading.requestTimeout)
        if ends != nil { looks += 1 }
        noteReadPlaces()
        reader.heed(ends ?? [:])
    }

    private func noteReadPlaces() {
        readPlaces = [:]
        for (place, end) in ends ?? [:] {
            let partition = place.partition
            readPlaces[partition] = SinkReadPlace(
                end: end, next: reader.next[partition] ?? end, lastTimestamp: reader.before[partition]?.timestamp)
        }
    }

    private var lag: Int64? {
        ends?.reduce(0) { sum, end in
            sum + max(0, end.value.rawValue - (reader.next[end.key.partition]?.rawValue ?? end.value.rawValue))
        }
    }

    func reportProgress(isLast: Bool = false) {
        kind.summary.elapsed = context.clock.now - begin
        guard isLast || context.clock.now - reportedAt >= .milliseconds(250) else { return }
        reportedAt = context.clock.now
        let fraction = context.reading.untilCaughtUp ? fractionDone : nil
        progress(
            SinkProgress(
                summary: kind.summary, fractionDone: fraction, lag: lag, places: readPlaces, looks: looks,
                turnWait: kind.turnWait, hostsAway: kind.hostsAway, unsettled: kind.unsettledCount,
                positions: positions, written: kind.written, hasBegun: targets != nil))
    }

    /// The positions, past the markers at the end where nothing waits.
    private var positions: [Partition: SinkPosition] {
        var positions = kind.positions
        guard kind.isSettled else { return positions }
        for (partition, next) in reader.next where next > positions[partition]?.next ?? Offset(0) {
            positions[partition] = SinkPosition(
                next: next, cluster: cluster, before: positions[partition]?.before, choice: context.reading.choice)
        }
        return positions
    }

    private var fractionDone: Double {
        var (done, total) = (Int64(0), Int64(0))
        for (partition, target) in targets ?? [:] {
            let begin = begins[partition]?.rawValue ?? 0
            total += max(0, target.rawValue - begin)
            done += max(0, min(target.rawValue, reader.next[partition]?.rawValue ?? 0) - begin)
        }
        return total == 0 ? 1 : Double(done) / Double(total)
    }
}
