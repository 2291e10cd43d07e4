/// A record that was not written, as far as a person needs it to find the record.
package struct RefusedRecord: Hashable, Sendable {
    package var topic: String
    /// The beginning of the key as text, with dots for control characters; `nil` if the record has none.
    package var key: String?
    /// The bytes of key, value and headers, as far as they are known.
    package var bytes: Int

    private static let keyBytesMax = 200

    package init(topic: String, key: UnsafeRawBufferPointer?, bytes: Int) {
        self.topic = topic
        self.bytes = bytes
        self.key = key.map { key in
            let text = String(decoding: key.prefix(Self.keyBytesMax), as: UTF8.self)
            let printable = String(text.map { $0.unicodeScalars.contains { $0.value < 0x20 } ? "·" : $0 })
            return key.count > Self.keyBytesMax ? "\(printable)…" : printable
        }
    }
}

extension LogError {
    /// The error with the record that is too large. An error about something else stays as it is.
    package func refusing(_ record: @autoclosure () -> RefusedRecord) -> LogError {
        guard code == .recordTooLarge, self.record == nil else { return self }
        var error = self
        error.record = record()
        return error
    }
}
