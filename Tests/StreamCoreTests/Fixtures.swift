public import RecordLog
import StreamCore
import Testing

// What the tests of this module share: bytes of texts, a number as a state value, a seeded source of random numbers.

/// Lends the UTF-8 bytes of a text.
func withBytes<Result>(of text: String, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try Array(text.utf8).withUnsafeBytes(body)
}

func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }

func written(_ body: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    body(&writer)
    return writer.bytes
}

/// Reads with `body`, which must leave nothing over.
func read<Value>(
    _ bytes: [UInt8], _ body: (inout ByteReader) throws(CorruptBytes) -> Value
) throws(CorruptBytes) -> Value {
    let result: Result<Value, CorruptBytes> = bytes.withUnsafeBytes { buffer in
        var reader = ByteReader(buffer)
        do throws(CorruptBytes) {
            let value = try body(&reader)
            #expect(reader.isAtEnd, "bytes are left over")
            return .success(value)
        } catch {
            return .failure(error)
        }
    }
    return try result.get()
}

/// A state value that is one number.
struct Tally: StateValue, Equatable, ExpressibleByIntegerLiteral {
    var value: Int64

    init(integerLiteral value: Int64) { self.value = value }

    init(from reader: inout ByteReader) throws(CorruptBytes) { value = try reader.int64() }

    func encode(into writer: inout ByteWriter) { writer.write(value) }
}

/// What a changelog would get, as `key=value`, values as the numbers that `Tally` writes.
func captured(_ capture: ((UnsafeRawBufferPointer, UnsafeRawBufferPointer?) -> Void) -> Void) -> [ChangelogEntry] {
    var entries: [ChangelogEntry] = []
    capture { key, value in
        entries.append(ChangelogEntry(key: Array(key), value: value.map { Array($0) }))
    }
    return entries
}

struct ChangelogEntry: Equatable {
    var key: [UInt8]
    /// Nil: the key has gone.
    var value: [UInt8]?

    init(key: [UInt8], value: [UInt8]?) {
        self.key = key
        self.value = value
    }

    init(store: UInt8, _ key: String, _ value: Tally?, format: UInt8 = StateFormat.unversioned) {
        let isVersioned = format != StateFormat.unversioned
        self.key = [isVersioned ? store | StateFormat.versionedKey : store] + Array(key.utf8)
        self.value = value.map { value in (isVersioned ? [format] : []) + written { value.encode(into: &$0) } }
    }
}

/// Tests count instants and lengths of time in milliseconds from zero.
extension Instant: ExpressibleByIntegerLiteral {
    public init(integerLiteral milliseconds: Int64) { self.init(milliseconds: milliseconds) }
}

extension ElapsedTime: ExpressibleByIntegerLiteral {
    public init(integerLiteral milliseconds: Int64) { self.init(milliseconds: milliseconds) }
}
