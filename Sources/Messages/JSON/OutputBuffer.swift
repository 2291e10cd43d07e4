internal import Timelines

/// A buffer of bytes that grows at its end. An array would check at every byte whether it is shared.
struct OutputBuffer: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// The number of bytes that were written; more are written into `room`, and counted after that.
    var count = 0
    /// The day of the instant that was written last.
    var day = DayText()

    init(capacity: Int) {
        self.capacity = max(capacity, 64)
        start = .allocate(capacity: self.capacity)
    }

    deinit {
        start.deallocate()
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// Removes the bytes and keeps the memory.
    mutating func removeAll() {
        count = 0
    }

    mutating func append(_ byte: UInt8) {
        reserve(1)
        start[count] = byte
        count += 1
    }

    /// Appends an ASCII character.
    mutating func append(ascii character: Unicode.Scalar) {
        append(UInt8(ascii: character))
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        UnsafeMutableRawPointer(start + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    /// Appends bytes that it has already.
    mutating func append(copyOf bytes: Range<Int>) {
        precondition(bytes.upperBound <= count)
        reserve(bytes.count)
        (start + count).update(from: start + bytes.lowerBound, count: bytes.count)
        count += bytes.count
    }

    mutating func append(literal text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    mutating func appendDecimal(_ value: some BinaryInteger) {
        if value < 0 { append(ascii: "-") }
        appendDecimal(magnitude: UInt64(value.magnitude))
    }

    private mutating func appendDecimal(magnitude: UInt64) {
        if magnitude >= 10 { appendDecimal(magnitude: magnitude / 10) }
        append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: magnitude % 10))
    }

    /// The memory behind what was written, where so many bytes have room.
    mutating func room(_ bytes: Int) -> UnsafeMutablePointer<UInt8> {
        reserve(bytes)
        return start + count
    }

    private mutating func reserve(_ additional: Int) {
        if count + additional > capacity { grow(toHold: count + additional) }
    }

    private mutating func grow(toHold needed: Int) {
        capacity = max(2 * capacity, needed)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: start, count: count)
        start.deallocate()
        start = larger
    }
}
