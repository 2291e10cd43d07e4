/// Reads fixed forms from the front of a piece of text, such as a date or a number of so many digits.
///
/// A method that returns `nil` or `false` did not find its form. The position is then undefined: the caller gives up.
package struct TextReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    package var isAtEnd: Bool { position == bytes.count }
    /// The byte that comes next, which is not read yet; `nil` at the end.
    package var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Reads `character`; returns `false` if something else comes next.
    package mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Reads one decimal digit.
    package mutating func digit() -> Int? {
        guard let next, next &- UInt8(ascii: "0") <= 9 else { return nil }
        position += 1
        return Int(next &- UInt8(ascii: "0"))
    }

    /// Reads a number of exactly `digits` digits.
    package mutating func number(digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// Reads a number of at least one and at most `limit` digits.
    package mutating func number(upToDigits limit: Int) -> Int? {
        guard var value = digit() else { return nil }
        var count = 1
        while let digit = digit() {
            count += 1
            guard count <= limit else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// Reads a date that exists, such as `2026-11-20`.
    package mutating func date() -> LocalDate? {
        guard let year = number(digits: 4), skip("-"), let month = number(digits: 2), skip("-"),
            let day = number(digits: 2)
        else { return nil }
        let date = LocalDate(year: year, month: month, day: day)
        return date.isValid ? date : nil
    }
}

extension TextReader {
    /// Calls `read` with the bytes where they lie, or with a copy if they do not lie together.
    @inlinable
    package static func withBytes<Result>(
        of text: some Collection<UInt8>, _ read: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        if let result = text.withContiguousStorageIfAvailable({ read(UnsafeRawBufferPointer($0)) }) { return result }
        return Array(text).withUnsafeBytes(read)
    }
}
