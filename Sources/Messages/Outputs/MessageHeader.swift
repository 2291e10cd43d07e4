/// A header beside a record's key and value.
package struct MessageHeader: Hashable, Sendable {
    package var name: String
    package var value: [UInt8]?

    package init(name: String, value: [UInt8]?) {
        self.name = name
        self.value = value
    }

    package init(_ name: String, _ text: String) {
        self.init(name: name, value: Array(text.utf8))
    }
}
