package import RecordLog

/// The timers of a task's nodes.
extension StreamTask {
    /// Fires timers that are due, a portion of each node's (R17).
    ///
    /// - Parameter order: the reading order up to which sources have been read since this task began; `nil` if none
    ///   is, `Int.max` if all are. Nodes that wait for more (`Topology.Node.timersAfter`) are left out.
    package func punctuate(readThrough order: Int? = .max) {
        context.hasReadSources = order == .max
        forEachNode { node in
            guard let punctuator = node.punctuator, mayFire(context.node, order) else { return }
            punctuator.punctuate(context)
        }
    }

    private func mayFire(_ node: Int, _ order: Int?) -> Bool {
        order.map { $0 >= context.topology.nodes[node].timersAfter } ?? false
    }

    /// The date of the earliest timer that `punctuate` with the same argument would look at; `nil` if there is none.
    package func nextDue(readThrough order: Int?) -> Instant? {
        var earliest: Instant?
        for (number, node) in nodes.enumerated() {
            guard let due = node.punctuator?.nextDue, mayFire(number, order) else { continue }
            earliest = min(earliest ?? due, due)
        }
        return earliest
    }

    /// The date of the earliest timer; `nil` if there is none.
    package var nextDue: Instant? { nextDue(readThrough: .max) }
}
