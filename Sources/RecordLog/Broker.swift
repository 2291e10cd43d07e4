/// A broker as the others name it.
package struct Broker: Hashable, Sendable {
    package var id: Int32
    /// `host:port` of the listener that this client was told of.
    package var address: String

    package init(id: Int32, address: String) {
        self.id = id
        self.address = address
    }
}
