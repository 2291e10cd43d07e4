import RecordLog
import StreamCore

/// Positions whose topic is not the one that was read: another of the same name, another cluster's, or the same with
/// records removed before they were read (R18).
extension StreamThread {
    // MARK: - Taking over

    /// Refuses state that is not this program's to go on with, and state that has gone. Called when the changelog is
    /// read, before anything is made of it.
    func checkState(of runtime: TaskRuntime) throws(StreamFailure) {
        let changelog = changelog(of: runtime.task.partition)
        if let header = runtime.task.positions.header {
            let refusal = settings.misfits.refusal(
                of: header, at: changelog, partitions: partitions, terms: settings.state)
            if let refusal { throw refusal }
        }
        if runtime.task.lacksBeginning { throw .stateMadeAnew(changelog) }
        guard runtime.restore.isEmpty else { return }
        let read = runtime.starts.filter(\.wasRead)
        if read.isEmpty { return }
        let places = read.map(\.topicPartition).sorted()
        guard settings.misfits.replaysLostState else { throw .lostState(changelog, places) }
        for index in runtime.starts.indices { runtime.starts[index].committed = nil }
        positionChecks.lose(places.count)
        observer(.stateLost(task: runtime.task.partition, places))
    }

    /// Asks whether the records before the positions are those that were read. The inputs are not read before it is
    /// answered.
    func compare(_ cursors: [PartitionCursor]) {
        var places: [(TopicPartition, Fingerprint)] = []
        for cursor in cursors where isCompared(cursor) {
            let entry = cursor.runtime.task.positions.entries[cursor.position]
            cursor.nextAnchor = entry.fingerprint
            if let anchor = entry.anchor { places.append((cursor.topicPartition, anchor)) }
        }
        if places.isEmpty { return }
        do throws(LogError) {
            let comparer = try positionChecks.openComparer { () throws(LogError) in
                try PositionComparer(cluster, clientId: producer.transactionalId + "-compare")
            }
            try comparer.ask(places, now: clock.monotonic())
        } catch {
            // Reading goes on, and the same is asked soon.
            positionChecks.suspectRecords()
            observer(.failed(error, doing: "comparing positions"))
        }
    }

    func isCompared(_ cursor: PartitionCursor) -> Bool {
        positionChecks.comparer?.isAsked(cursor.topicPartition) != true
    }

    /// Takes the answers that have come; called in each iteration.
    func takeComparisons() {
        guard let comparer = positionChecks.comparer else { return }
        attempt("comparing positions") { () throws(LogError) in
            let (answers, failures) = try comparer.poll(now: clock.monotonic())
            for failure in failures { observer(.failed(failure, doing: "comparing positions")) }
            for (place, answer) in answers {
                guard let cursor = cursors[place] else { continue }
                let positions = cursor.runtime.task.positions
                guard let known = positions.entries[cursor.position].anchor else { continue }
                guard case .other(let found) = answer else {
                    // Reading goes on, and the same is asked again later: nothing was confirmed.
                    if answer == .unanswered {
                        positionChecks.suspectRecords()
                        observer(.failed(.unanswered(place), doing: "comparing positions"))
                        continue
                    }
                    guard let next = cursor.nextAnchor, next != known else { continue }
                    positions.confirm(cursor.position, next)
                    // Before anything is read: a mirror may have the one record, and another before the position.
                    if !cursor.isAssigned { try comparer.ask([(place, next)], now: clock.monotonic()) }
                    continue
                }
                do throws(LogError) {
                    let kept = try extent(of: place)
                    observer(.positionOfOther(place, known: known, found: found, kept: kept))
                    restart(cursor, at: kept.low)
                } catch {
                    // Asked again: nothing may be read on from a position that is known to be wrong.
                    observer(.failed(error, doing: "comparing positions"))
                    try comparer.ask([(place, known)], now: clock.monotonic())
                }
            }
        }
    }

    /// Asks for the first record's offset and the read_uncommitted end.
    func extent(of place: TopicPartition) throws(LogError) -> Watermarks {
        let low = try admin.startOffsets(of: [place], timeout: settings.callTimeout)[place]
        let high = try admin.endOffsets(
            of: [place], isolation: .readUncommitted, timeout: settings.callTimeout)[place]
        guard let low, let high else {
            throw LogError(.unknownTopicOrPartition, name: "UNKNOWN_TOPIC_OR_PART", "\(place) has no offsets")
        }
        return Watermarks(low: low, high: high)
    }

    /// What was asked is of records that count as not read any more; the same is asked again later.
    func forgetComparisons(of cursors: [PartitionCursor]) {
        let asked = cursors.filter { !isCompared($0) }
        for cursor in cursors { cursor.nextAnchor = nil }
        if asked.isEmpty { return }
        positionChecks.suspectRecords()
        attempt("ending comparisons") { () throws(LogError) in
            try positionChecks.comparer?.forget(asked.map(\.topicPartition))
        }
    }

    // MARK: - Running

    /// Looks at the ends of all inputs that are read, now and then and when something was odd.
    func checkPositions(now: Duration) throws(LogError) {
        positionChecks.begin(at: now)
        let read = tasks.all.flatMap(\.inputs).filter(\.isAssigned).sorted { $0.topicPartition < $1.topicPartition }
        let places = read.map(\.topicPartition)
        let lows = try admin.startOffsets(of: places, timeout: settings.callTimeout)
        let ends = try admin.endOffsets(of: places, isolation: .readUncommitted, timeout: settings.callTimeout)
        for cursor in read {
            guard let low = lows[cursor.topicPartition], let high = ends[cursor.topicPartition] else { continue }
            let kept = Watermarks(low: low, high: high)
            let next = cursor.runtime.next(of: cursor)
            // Of a topic that was made again with less, the old end would be waited for without end.
            cursor.stageEnd = min(cursor.stageEnd, high)
            if next > kept.high {
                observer(.positionOutOfRange(cursor.topicPartition, position: next, kept: kept))
                restart(cursor, at: kept.low)
            } else if let jump = cursor.jump, jump.from < kept.low, kept.low <= jump.to {
                // Where the reader found itself is where records begin: those between were removed.
                positionChecks.lose()
                observer(.positionOutOfRange(cursor.topicPartition, position: jump.from, kept: kept))
            }
            cursor.jump = nil
        }
        if positionChecks.finishEnds(at: now, comparing: settings.comparisonInterval) { compare(read) }
    }

    /// The partition is read anew from its earliest record.
    private func restart(_ cursor: PartitionCursor, at low: Offset) {
        positionChecks.lose()
        cursor.nextAnchor = nil
        // The answer would be of what was read before.
        attempt("ending comparisons") { () throws(LogError) in
            try positionChecks.comparer?.forget([cursor.topicPartition])
        }
        cursor.runtime.task.positions.restart(cursor.position, at: low)
        if cursor.isAssigned { cursor.needsSeek = true }
    }
}

extension TaskStart {
    /// True if the group has certainly read records of this input.
    ///
    /// A position at the earliest record may be no more than a claim (R4). The claim's number does not tell: it counts
    /// the commits of a thread, whatever that has read. A position below the earliest record is older than what was
    /// removed since: records were read up to it, or it is a claim whose state has gone, too. Below the first record of
    /// all nothing was read.
    fileprivate var wasRead: Bool {
        guard source != TaskPositions.exchange, let committed, committed > 0 else { return false }
        return committed != watermarks.low
    }
}

extension LogError {
    fileprivate static func unanswered(_ place: TopicPartition) -> LogError {
        LogError(
            .timedOut, name: "_TIMED_OUT",
            "nobody told the record before the position in \(place); reading goes on, and it is asked for again",
            isRetriable: true)
    }
}
