/// JSON text in which values are found by their place, without making values of them: what was committed goes out as
/// it is, byte by byte.
///
/// The bytes are borrowed: it lives no longer than they do.
struct JSONText {
    private let bytes: UnsafeRawBufferPointer

    /// - Returns: `nil` if the bytes are not one JSON value in UTF-8 (RFC 8259), no deeper than 128 levels.
    init?(validating bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        var reader = JSONTextReader(bytes)
        guard reader.skipValue(depth: 0), reader.isAtEnd,
            String(validating: bytes, as: UTF8.self) != nil
        else { return nil }
    }

    /// Takes bytes that were validated before.
    init(valid bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The place of the whole value.
    var whole: Range<Int> { 0..<bytes.count }

    /// The members of an object in the order of the text; of a key that comes twice, both. Empty for other values.
    func members(of place: Range<Int>) -> [(key: String, value: Range<Int>)] {
        var reader = JSONTextReader(bytes, at: place.lowerBound)
        var members: [(key: String, value: Range<Int>)] = []
        guard reader.take("{") else { return [] }
        while reader.peek == UInt8(ascii: "\"") {
            guard let key = reader.value(), reader.take(":"), let value = reader.value(), let text = text(at: key)
            else { return members }
            members.append((text, value))
            guard reader.take(",") else { break }
        }
        return members
    }

    /// The elements of an array; empty for other values.
    func elements(of place: Range<Int>) -> [Range<Int>] {
        var reader = JSONTextReader(bytes, at: place.lowerBound)
        var elements: [Range<Int>] = []
        guard reader.take("["), reader.peek != UInt8(ascii: "]") else { return [] }
        repeat {
            guard let element = reader.value() else { break }
            elements.append(element)
        } while reader.take(",")
        return elements
    }

    /// The member of an object; of a key that comes twice, the last one.
    func member(_ key: String, of place: Range<Int>) -> Range<Int>? {
        members(of: place).last { $0.key == key }?.value
    }

    func slice(_ place: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[place]) }

    /// The text of a string value; `nil` for other values.
    func text(at place: Range<Int>) -> String? {
        guard place.count >= 2, bytes[place.lowerBound] == UInt8(ascii: "\"") else { return nil }
        let inner = slice(place.lowerBound + 1..<place.upperBound - 1)
        guard inner.contains(UInt8(ascii: "\\")) else { return String(decoding: inner, as: UTF8.self) }
        return JSONTextReader.unescaped(inner)
    }

    /// A whole number; `nil` for other values.
    func integer(at place: Range<Int>) -> Int64? { Int64(String(decoding: slice(place), as: UTF8.self)) }
}
