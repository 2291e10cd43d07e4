/// A message to a task of the same thread, handed over as the value that it is: nothing of it is encoded.
///
/// It is received in the transaction that sent it, and never stored. So a message must not say more than its bytes
/// do: a receiver cannot know which way it came.
package class LocalMessage {
    /// The number of the node that it is for.
    let node: Int
    /// The id of the entity that it is for.
    let entity: String

    fileprivate init(node: Int, entity: String) {
        self.node = node
        self.entity = entity
    }
}

/// A local message with its content, of the type that its node takes.
final class TypedLocalMessage<Message: StateValue>: LocalMessage {
    let content: Message

    init(_ content: Message, to entity: String, at node: NodeName<Message>) {
        self.content = content
        super.init(node: node.number, entity: entity)
    }
}
