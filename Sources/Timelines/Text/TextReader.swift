/// Reads fixed forms from the front of a piece of text. A read that fails leaves the position where it was or later:
/// the caller gives up then.
struct TextReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func digit() -> Int? {
        guard let next, next &- UInt8(ascii: "0") <= 9 else { return nil }
        position += 1
        return Int(next &- UInt8(ascii: "0"))
    }

    /// Exactly so many digits.
    mutating func number(digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// At least one digit, at most so many.
    mutating func number(upToDigits limit: Int) -> Int? {
        guard var value = digit() else { return nil }
        var count = 1
        while let digit = digit() {
            count += 1
            guard count <= limit else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// `2026-11-20`, a date that exists.
    mutating func date() -> LocalDate? {
        guard let year = number(digits: 4), skip("-"), let month = number(digits: 2), skip("-"),
            let day = number(digits: 2)
        else { return nil }
        let date = LocalDate(year: year, month: month, day: day)
        return date.isValid ? date : nil
    }
}

/// Calls `read` with the bytes where they lie, or with a copy where they do not lie together.
func withBytes<Result>(of text: some Collection<UInt8>, _ read: (UnsafeRawBufferPointer) -> Result) -> Result {
    if let result = text.withContiguousStorageIfAvailable({ read(UnsafeRawBufferPointer($0)) }) { return result }
    return Array(text).withUnsafeBytes(read)
}
