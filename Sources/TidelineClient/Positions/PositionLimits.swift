/// The sizes that a server takes (P1, P4); it refuses a record that has more.
enum PositionLimits {
    /// The bytes of the name of a reader, a configuration or a device, in UTF-8.
    static let nameBytesMax = 1024
    /// The bytes of the id of an entry.
    static let entryIdBytesMax = 4096
    /// The bytes of a title or a location. A place needs no more of it to be found again.
    static let textBytesMax = 1024

    /// The rule for a name, in words.
    static let names = "must be 1 to \(nameBytesMax) bytes in UTF-8"

    static func isName(_ text: String) -> Bool { 1...nameBytesMax ~= text.utf8.count }

    static func isEntryId(_ text: String) -> Bool { 1...entryIdBytesMax ~= text.utf8.count }

    /// The text up to the last whole character that fits.
    static func cut(_ text: String) -> String {
        var count = 0
        return String(
            text.prefix { character in
                count += character.utf8.count
                return count <= textBytesMax
            })
    }
}
