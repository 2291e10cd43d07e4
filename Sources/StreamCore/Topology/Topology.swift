/// What flows where, as plain data: the sources that are read, the processors that every task has, the topics written.
///
/// The numbers of sources and nodes are part of the stored format (positions, exchange messages): add at the end.
package struct Topology: Sendable {
    package var sources: [Source]
    package var nodes: [Node]
    /// Output topics; processors name them by index.
    package var outputs: [String]
    /// Milliseconds that the wall clock may go back without `Processor.clockWentBack`, as it does when it is set right.
    package var clockTolerance: Int64
    /// Every start begins with the same time again, as it is told to: then a restored task that finds itself earlier
    /// than its state takes that for no step back of the clock.
    package var startsClockAnew: Bool

    package init(
        sources: [Source], nodes: [Node], outputs: [String], clockTolerance: Int64 = 60_000,
        startsClockAnew: Bool = false
    ) {
        for source in sources { precondition(nodes.indices.contains(source.node), "A source feeds a node.") }
        self.sources = sources
        self.nodes = nodes
        self.outputs = outputs
        self.clockTolerance = clockTolerance
        self.startsClockAnew = startsClockAnew
    }

    package struct Source: Sendable {
        package var topic: String
        /// The processor that gets its records.
        package var node: Int
        /// After assignment sources are read to the end that is seen then, lower numbers first (R8).
        package var readingOrder: Int

        package init(topic: String, node: Int, readingOrder: Int) {
            self.topic = topic
            self.node = node
            self.readingOrder = readingOrder
        }
    }

    package struct Node: Sendable {
        package var name: String
        /// Makes the processor of one task, with its stores empty.
        package var make: @Sendable () -> any Processor

        package init(name: String, make: @escaping @Sendable () -> any Processor) {
            self.name = name
            self.make = make
        }
    }

    /// A picture for people: one line a source and node, in the order in which data flows.
    package var description: String {
        let arrows = sources.map { "\($0.topic) ─► \(nodes[$0.node].name)" }
        let chain = nodes.map(\.name).joined(separator: " ─► ")
        return (arrows + ["\(chain) ─► \(outputs.joined(separator: ", "))"]).joined(separator: "\n")
    }
}
