import RecordLog
import StreamCore

/// What is done now and then: new partitions (R9), consumed exchange records (R7).
extension StreamThread {
    func maintain() throws(StreamFailure) {
        let now = clock.monotonic()
        if positionChecks.isDue(at: now, settings) {
            attempt("looking at positions") { () throws(LogError) in try checkPositions(now: now) }
        }
        guard schedule.maintenance.takeTurn(at: now, every: settings.maintenanceInterval) else { return }
        attempt("reading partition counts") { () throws(LogError) in try adoptNewPartitions() }
        guard settings.removesConsumedRecords else { return }
        attempt("removing consumed exchange records") { () throws(LogError) in try removeConsumedRecords() }
    }

    /// Nobody subscribes to the inputs, so no rebalance tells of their growth.
    private func adoptNewPartitions() throws(LogError) {
        let described = try admin.describeTopics(topology.sources.map(\.topic), timeout: settings.callTimeout)
        for (index, source) in topology.sources.enumerated() where source.isRead {
            guard let count = described[source.topic]?.partitions else { continue }
            let places = layout.added(to: index, count: count)
            if places.isEmpty { continue }
            let lows = try admin.startOffsets(of: places, timeout: settings.callTimeout)
            let ends = try admin.endOffsets(of: places, isolation: .readCommitted, timeout: settings.callTimeout)
            let starts = places.map { place in
                let watermarks = Watermarks(low: lows[place] ?? 0, high: ends[place] ?? 0)
                let start = TaskStart(
                    source: UInt8(index), topicPartition: place, committed: nil, watermarks: watermarks)
                return (layout.task(of: place), start)
            }
            layout.grow(index, to: count)
            for (task, start) in starts {
                guard let runtime = tasks[task] else { continue }
                switch runtime.state {
                case .created: break
                case .restoring, .deriving: runtime.starts.append(start)
                case .running: addCursor(start, to: runtime)
                }
            }
            observer(.partitionsAdded(topic: source.topic, count: count))
        }
    }

    private func removeConsumedRecords() throws(LogError) {
        var offsets: [(TopicPartition, Offset)] = []
        for runtime in tasks.running {
            guard let exchange = runtime.exchange else { continue }
            let committed = runtime.task.positions.entries[exchange.position].committed
            guard committed > runtime.removedBefore else { continue }
            runtime.removedBefore = committed
            offsets.append((exchange.topicPartition, committed))
        }
        if offsets.isEmpty { return }
        try admin.deleteRecords(before: offsets, timeout: settings.callTimeout)
    }
}

extension StreamThread {
    /// The inputs would make the same record for ever (R11).
    func end(because tooLarge: LogError) throws(StreamFailure) {
        var limit: Int?
        if let topic = tooLarge.record?.topic {
            attempt("asking for the limit of \(topic)") { () throws(LogError) in
                let found = try admin.describeTopics([topic], timeout: settings.attemptTimeout)
                limit = found[topic]?.settings["max.message.bytes"].flatMap { Int($0) }
            }
        }
        enter(.ended)
        throw .tooLarge(tooLarge, limit: limit)
    }
}
