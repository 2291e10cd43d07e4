/// FNV-1a with 128 bits: a digest that is the same in every process, unlike Swift's `Hasher`. Not for secrets.
struct FNV1a128 {
    private var state: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
    private static let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b

    var high: UInt64 { UInt64(truncatingIfNeeded: state >> 64) }
    var low: UInt64 { UInt64(truncatingIfNeeded: state) }

    mutating func add(_ byte: UInt8) {
        state = (state ^ UInt128(byte)) &* FNV1a128.prime
    }

    /// Length first, so that neighbouring texts cannot trade letters.
    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            add(Int64(bytes.count))
            for byte in bytes { add(byte) }
        }
    }

    mutating func add(_ number: Int64) {
        var rest = UInt64(bitPattern: number)
        // Small numbers are frequent: as many bytes as needed, seven bits each.
        while rest >= 0x80 {
            add(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        add(UInt8(truncatingIfNeeded: rest))
    }

    mutating func add(_ bool: Bool) {
        add(bool ? 1 : 0 as UInt8)
    }

    /// Nil is told apart from every value.
    mutating func add<Value>(_ value: Value?, _ add: (inout FNV1a128, Value) -> Void) {
        self.add(value != nil)
        if let value { add(&self, value) }
    }
}
