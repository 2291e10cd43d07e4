package import RecordLog

/// The flow of data as plain values: the sources that are read, the processors that every task has, the topics written.
///
/// Each is declared once. The order of sources and the numbers of nodes and stores are part of the stored format
/// (exchange messages, origins, changelog): additions go to the end. Positions name their topic. `description` draws
/// the topology.
package struct Topology: Sendable {
    package var sources: [Source]
    /// The nodes in the order of their numbers, without gaps.
    package var nodes: [Node]
    /// Output topics by the index of their `OutputName`.
    package var outputs: [String]
    /// How many `CounterName`s there are.
    package var counters: Int
    /// How far the wall clock may go back without a call of `ClockFollower.clockWentBack`: a clock that is set right
    /// goes back a little.
    package var clockTolerance: ElapsedTime
    /// How many timers a processor fires in one call (R17).
    package var timerPortion = 1_000
    /// How many units of work a processor does in the flushes of one transaction (R17).
    package var flushPortion = 2_500
    /// Messages that stay within a thread are handed over as values, and nothing of them is encoded. False where a test
    /// is to see that their bytes say the same.
    package var handsOverValues = true
    /// The format that state is raised to (`StateFormat`); `nil` if it stays as it was found, and is the newest where
    /// none was (R18).
    package var stateFormat: UInt8?

    package init(
        sources: [Source], nodes: [Node], outputs: [String], counters: Int = 0,
        clockTolerance: ElapsedTime = .minutes(1), stateFormat: UInt8? = nil
    ) {
        precondition(nodes.indices.allSatisfy { nodes[$0].number == $0 }, "Nodes stand in the order of their numbers.")
        for source in sources {
            precondition(nodes.indices.contains(source.node), "A source feeds a node.")
            precondition(nodes[source.node].readsRecords, "The node of a source is a RecordProcessor.")
        }
        for node in nodes {
            precondition(node.receivers.allSatisfy { nodes.indices.contains($0) }, "A node sends to nodes.")
            precondition(node.outputs.allSatisfy { outputs.indices.contains($0.index) }, "A node writes to outputs.")
        }
        self.sources = sources
        self.nodes = nodes
        self.outputs = outputs
        self.counters = counters
        self.clockTolerance = clockTolerance
        self.stateFormat = stateFormat
    }

    package struct Source: Sendable {
        package var topic: String
        /// The number of the node that gets the records.
        package var node: Int
        /// After an assignment sources are read to the end that is seen then, lower numbers first (R8).
        package var readingOrder: Int
        /// True if releases that read no more than the topics before it may take over the state (`TaskPositions`).
        package var isAddition: Bool
        /// False while its records are left for later: other tasks may read it, and forward to this one.
        package var isRead: Bool

        package init<Message>(
            topic: String, to node: NodeName<Message>, readingOrder: Int = 0, isAddition: Bool = false,
            isRead: Bool = true
        ) {
            self.topic = topic
            self.node = node.number
            self.readingOrder = readingOrder
            self.isAddition = isAddition
            self.isRead = isRead
        }
    }

    package struct Node: Sendable {
        package var number: Int
        package var name: String
        /// The numbers of the nodes that this one sends messages to.
        package var receivers: [Int]
        /// The outputs that this node writes to.
        package var outputs: [OutputName]
        package var readsRecords: Bool
        /// The reading order up to which sources must have been read before the node's timers fire (R17). A timer
        /// that fires earlier takes for silence what is only not read yet.
        package var timersAfter: Int
        /// Makes the processor of one task, with its stores empty.
        package var make: @Sendable () -> NodeInstance

        /// A node that takes messages.
        ///
        /// - Parameters:
        ///   - sends: the numbers of the nodes that it sends messages to; no others in a debug build.
        ///   - writes: the outputs that it writes to; no others in a debug build.
        ///   - timersAfter: the reading order of the last source that its timers wait for.
        package init<P: MessageProcessor & SendableMetatype>(
            _ name: NodeName<P.Message>, sends: [Int] = [], writes: [OutputName] = [], timersAfter: Int = 1,
            make: @escaping @Sendable () -> P
        ) {
            let readsRecords = P.self is any RecordProcessor.Type
            self.init(name.number, name.name, sends, writes, readsRecords: readsRecords, timersAfter) {
                NodeInstance(taking: make())
            }
        }

        /// A node that takes no messages.
        package init<P: RecordProcessor & SendableMetatype>(
            _ name: NodeName<Never>, sends: [Int] = [], writes: [OutputName] = [], timersAfter: Int = 1,
            make: @escaping @Sendable () -> P
        ) {
            self.init(name.number, name.name, sends, writes, readsRecords: true, timersAfter) { NodeInstance(make()) }
        }

        private init(
            _ number: Int, _ name: String, _ receivers: [Int], _ outputs: [OutputName], readsRecords: Bool,
            _ timersAfter: Int, make: @escaping @Sendable () -> NodeInstance
        ) {
            self.number = number
            self.name = name
            self.receivers = receivers
            self.outputs = outputs
            self.readsRecords = readsRecords
            self.timersAfter = timersAfter
            self.make = make
        }
    }
}

/// The processor of one node in one task, with each of its abilities looked up once.
///
/// A class, because a task goes through its nodes many times for each transaction: a copy of all abilities would count
/// the references to each of them.
package final class NodeInstance {
    let processor: any Processor
    let records: (any RecordProcessor)?
    let punctuator: (any Punctuator)?
    let clockFollower: (any ClockFollower)?
    let conflating: (any ConflatingProcessor)?
    let catchUp: (any CatchUpProcessor)?
    let holding: (any HoldingProcessor)?
    let deriving: (any DerivingProcessor)?
    let observer: (any TransactionObserver)?
    /// The state stores of the node.
    package var stores: [any ChangelogStore] { processor.stores }

    /// Reads a message and hands it over; `nil` if the node takes none. Throws if the message cannot be read.
    let receive: Receive?
    typealias Receive = (NodeMessage, TaskContext) throws(CorruptBytes) -> Void
    /// Hands a message of this thread over; `nil` if the node takes none.
    let take: Take?
    typealias Take = (MessageValue, TaskContext) -> Void

    convenience init(_ processor: any Processor) {
        self.init(processor, receive: nil, take: nil)
    }

    convenience init<P: MessageProcessor>(taking processor: P) {
        self.init(processor) { message, context throws(CorruptBytes) in
            var reader = ByteReader(message.payload, format: message.format)
            processor.receive(try P.Message(from: &reader), for: message.entity, context)
        } take: { message, context in
            guard let message = message as? TypedMessageValue<P.Message> else {
                preconditionFailure("A node is sent messages of the type in its name.")
            }
            var entity = message.entity
            entity.withUTF8 { processor.receive(message.content, for: UnsafeRawBufferPointer($0), context) }
        }
    }

    private init(_ processor: any Processor, receive: Receive?, take: Take?) {
        self.processor = processor
        self.receive = receive
        self.take = take
        records = processor as? any RecordProcessor
        punctuator = processor as? any Punctuator
        clockFollower = processor as? any ClockFollower
        conflating = processor as? any ConflatingProcessor
        catchUp = processor as? any CatchUpProcessor
        holding = processor as? any HoldingProcessor
        deriving = processor as? any DerivingProcessor
        observer = processor as? any TransactionObserver
    }
}
