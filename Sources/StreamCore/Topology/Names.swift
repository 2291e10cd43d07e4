/// The name of a node, typed by the messages that the node takes: `Never` if it takes none.
///
/// The number is part of the stored format, because exchange messages carry it. A new node takes the next number.
package struct NodeName<Message>: Sendable {
    package let number: Int
    package let name: String

    package init(_ number: Int, _ name: String) {
        precondition((0...255).contains(number), "A node's number is one byte of each exchange message.")
        self.number = number
        self.name = name
    }
}

/// The name of a state store, typed by the values that it holds.
///
/// The number is part of the stored format, because changelog keys begin with it. It is never used again for another
/// store; 0 belongs to the positions of the task.
public struct StoreName<Value: StateValue>: Sendable {
    public let number: UInt8
    public let name: String

    public init(_ number: UInt8, _ name: String) {
        precondition(number > 0 && number < StateFormat.versionedKey, "Store numbers are 1 to 127.")
        self.number = number
        self.name = name
    }
}

/// The name of an output: its index among the topology's outputs.
package struct OutputName: Hashable, Sendable {
    package let index: Int

    package init(_ index: Int) {
        self.index = index
    }
}

/// The name of something that processors count: its index among the topology's counters.
package struct CounterName: Hashable, Sendable {
    package let index: Int

    package init(_ index: Int) {
        self.index = index
    }
}
