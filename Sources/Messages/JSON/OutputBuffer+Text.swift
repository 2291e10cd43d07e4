internal import Timelines

extension OutputBuffer {
    /// Appends the content of a JSON string. Runs without escapes are copied whole, and real text rarely has escapes.
    mutating func appendEscaped(_ text: UnsafeRawBufferPointer) {
        if !Self.needsEscapes(text) { return append(text) }
        var start = 0
        for index in text.indices where Self.needsEscape(text[index]) {
            append(UnsafeRawBufferPointer(rebasing: text[start..<index]))
            appendEscape(text[index])
            start = index + 1
        }
        append(UnsafeRawBufferPointer(rebasing: text[start...]))
    }

    /// Looks at eight bytes at a time.
    private static func needsEscapes(_ text: UnsafeRawBufferPointer) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs = ones << 7
        // The highest bit of each byte that is less than `limit`, of bytes and a limit below 128.
        func below(_ limit: UInt64, _ word: UInt64) -> UInt64 { (word &- ones &* limit) & ~word & highs }
        var index = 0
        while index + 8 <= text.count {
            let word = text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            if below(0x20, word) | below(1, quotes) | below(1, backslashes) != 0 { return true }
            index += 8
        }
        while index < text.count {
            if needsEscape(text[index]) { return true }
            index += 1
        }
        return false
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendEscape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append(literal: "\\\"")
        case UInt8(ascii: "\\"): append(literal: "\\\\")
        case 0x08: append(literal: "\\b")
        case 0x0C: append(literal: "\\f")
        case 0x0A: append(literal: "\\n")
        case 0x0D: append(literal: "\\r")
        case 0x09: append(literal: "\\t")
        default:
            // A control character, 00 to 1f.
            append(literal: byte < 16 ? "\\u000" : "\\u001")
            let digit = byte & 15
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    /// Appends a JSON key that needs no escapes, after a comma unless it is the first one.
    mutating func appendKey(_ name: StaticString, isFirst: Bool) {
        var end = room(name.utf8CodeUnitCount + 4)
        let start = end
        if !isFirst {
            end[0] = UInt8(ascii: ",")
            end += 1
        }
        end[0] = UInt8(ascii: "\"")
        (end + 1).update(from: name.utf8Start, count: name.utf8CodeUnitCount)
        end += name.utf8CodeUnitCount + 3
        end[-2] = UInt8(ascii: "\"")
        end[-1] = UInt8(ascii: ":")
        count += end - start
    }

    mutating func append(_ instant: Instant) {
        let room = room(Instant.textRoom)
        count += instant.writeText(to: room, &day)
    }

    mutating func append(_ date: LocalDate) {
        let room = room(LocalDate.textRoom)
        count += date.writeText(to: room)
    }

    /// Appends a fraction of at most nine digits before the point and six behind it, as coordinates and speeds are.
    ///
    /// A decimal of up to fifteen digits that reads back as the number is its shortest form, once its last zeros are
    /// gone: of two such decimals each reads back as a number of its own.
    ///
    /// - Returns: false if it is no such fraction; then nothing was appended.
    mutating func append(fraction value: Double) -> Bool {
        let magnitude = value.magnitude
        // Swift writes smaller ones with an exponent.
        guard magnitude >= 0.001, magnitude < 1e9 else { return false }
        let scaled = (magnitude * 1e6).rounded()
        guard scaled / 1e6 == magnitude else { return false }
        var (whole, rest) = Int(scaled).quotientAndRemainder(dividingBy: 1_000_000)
        if rest == 0 { return false }
        var digits = 6
        while rest % 10 == 0 { (rest, digits) = (rest / 10, digits - 1) }
        let start = room(17)
        var end = start + 17
        for _ in 0..<digits { end = end.prepend(&rest) }
        end -= 1
        end[0] = UInt8(ascii: ".")
        repeat { end = end.prepend(&whole) } while whole > 0
        if value < 0 {
            end -= 1
            end[0] = UInt8(ascii: "-")
        }
        let length = start + 17 - end
        UnsafeMutableRawPointer(start).copyMemory(from: end, byteCount: length)
        count += length
        return true
    }
}

extension UnsafeMutablePointer<UInt8> {
    /// Writes the last digit of a number before this place, and takes it off the number.
    fileprivate func prepend(_ number: inout Int) -> UnsafeMutablePointer<UInt8> {
        let place = self - 1
        place[0] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
        number /= 10
        return place
    }
}
