extension Topology: CustomStringConvertible {
    /// A drawing for people, one block a node, in the order of the nodes' numbers: on the left the topics that it
    /// reads, on the right the nodes that it sends messages to and the topics that it writes.
    ///
    ///     vehicle.telemetry ──► vehicles ──► configurations
    ///                                    ──► tideline.dead-letters
    package var description: String {
        let readers = nodes.map { node in sources.filter { $0.node == node.number }.map(\.topic) }
        let topicWidth = readers.joined().map(\.count).max() ?? 0
        let nameWidth = nodes.map(\.name.count).max() ?? 0
        var lines: [String] = []
        for node in nodes {
            let ins = readers[node.number]
            let outs = node.receivers.map { nodes[$0].name } + node.outputs.map { outputs[$0.index] }
            for row in 0..<max(1, ins.count, outs.count) {
                let left = row < ins.count ? ins[row].padded(to: topicWidth) + " ──► " : padding(topicWidth + 5)
                let middle = (row == 0 ? node.name : "").padded(to: nameWidth)
                let right = row < outs.count ? " ──► " + outs[row] : ""
                lines.append((left + middle + right).trimmingTrailingSpaces)
            }
        }
        return lines.joined(separator: "\n")
    }

    private func padding(_ count: Int) -> String { String(repeating: " ", count: count) }
}

extension String {
    fileprivate func padded(to count: Int) -> String {
        self + String(repeating: " ", count: max(0, count - self.count))
    }

    fileprivate var trimmingTrailingSpaces: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
