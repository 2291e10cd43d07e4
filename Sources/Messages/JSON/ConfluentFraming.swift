/// The framing of Confluent's serializers: a zero byte and a 4-byte schema id before the value (M13).
///
/// No JSON and no iCalendar text begins with a zero byte, so a value says itself whether it carries the framing.
package enum ConfluentFraming {
    private static let length = 5

    /// The value without framing.
    package static func skipped(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard bytes.count >= length, bytes[0] == 0 else { return bytes }
        return UnsafeRawBufferPointer(rebasing: bytes[length...])
    }
}
