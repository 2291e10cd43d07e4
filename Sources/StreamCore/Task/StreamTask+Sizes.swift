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

    /// Lets go of what can be made again: decoded values, and room that is kept for the next transaction.
    ///
    /// - Precondition: nothing of a store is borrowed.
    package func trim() {
        for store in orderedStores { store.trim() }
        context.outputs.trim()
    }

    /// The timers of all nodes.
    ///
    /// - Parameter dueMax: the most due ones that are counted; 0 or more.
    /// - Complexity: O(nodes + `dueMax`).
    package func timerLoad(at now: Instant, dueMax: Int) -> TimerLoad {
        var load = TimerLoad(at: now, dueMax: dueMax)
        forEachNode { $0.punctuator?.count(&load) }
        return load
    }
}
