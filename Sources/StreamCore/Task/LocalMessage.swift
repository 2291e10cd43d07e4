/// What is under way to a task of the same thread. It is received in the transaction that sent it, and never stored.
package enum LocalMessage {
    /// A message, handed over as the value that it is: nothing of it is encoded.
    case value(MessageValue)
    /// The bytes that would have gone through the exchange: of a record that was forwarded, or of a message
    /// (`Topology.handsOverValues`).
    case envelope([UInt8])
}

/// A message as a value, with the node and the entity that it is for.
package class MessageValue {
    /// The number of the node.
    let node: Int
    /// The id of the entity.
    let entity: String

    fileprivate init(node: Int, entity: String) {
        self.node = node
        self.entity = entity
    }
}

/// The same with its content, of the type that its node takes.
final class TypedMessageValue<Message: StateValue>: MessageValue {
    let content: Message

    init(_ content: Message, to entity: String, at node: NodeName<Message>) {
        self.content = content
        super.init(node: node.number, entity: entity)
    }
}
