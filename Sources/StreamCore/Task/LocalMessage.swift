/// A message on its way to a task of the same thread, in the same transaction: as it is, not as bytes.
///
/// What it says is what its bytes would say: a `StateValue` reads as it was written.
package class LocalMessage {
    /// The number of the node that it is for.
    let node: Int
    let entity: String

    fileprivate init(node: Int, entity: String) {
        self.node = node
        self.entity = entity
    }
}

/// A local message with its content.
final class TypedLocalMessage<Message: StateValue>: LocalMessage {
    let content: Message

    init(_ content: Message, to entity: String, at node: NodeName<Message>) {
        self.content = content
        super.init(node: node.number, entity: entity)
    }
}
