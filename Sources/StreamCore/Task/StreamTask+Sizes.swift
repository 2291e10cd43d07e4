package import RecordLog

/// How much a task holds, for whoever watches.
extension StreamTask {
    /// The keys and the slots of each store, in the order of the stores' numbers.
    package var slotCounts: [(store: UInt8, keys: Int, slots: Int)] {
        orderedStores.map { ($0.id, $0.keyCount, $0.slotCount) }
    }

    /// The keys of each store and the bytes that it takes, in the order of the stores' numbers.
    package var storeSizes: [(name: String, keys: Int, bytes: Int)] {
        orderedStores.map { ($0.name, $0.keyCount, $0.byteCount) }
    }

    /// The timers of all nodes.
    package func timerLoad(at now: Instant) -> TimerLoad {
        var load = TimerLoad(at: now)
        forEachNode { $0.punctuator?.count(&load) }
        return load
    }
}
