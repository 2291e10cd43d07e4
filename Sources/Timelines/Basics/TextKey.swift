/// A text that is told apart and ordered by its UTF-8 bytes, as Kafka's keys are.
///
/// Swift's own `==` takes canonically equivalent texts for the same, and two configurations would be one.
package struct TextKey: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (left: TextKey, right: TextKey) -> Bool { left.text.isSameByUTF8(as: right.text) }

    package static func < (left: TextKey, right: TextKey) -> Bool { left.text.precedesByUTF8(right.text) }

    package func hash(into hasher: inout Hasher) {
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if isDone == nil { for byte in text.utf8 { hasher.combine(byte) } }
    }
}
