/// The checksum of IEEE 802.3, by which librdkafka's `consistent` partitioners choose.
enum CRC32 {
    static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
        var remainder = ~UInt32(0)
        for byte in bytes {
            remainder ^= UInt32(byte)
            for _ in 0..<8 { remainder = remainder & 1 == 1 ? (remainder >> 1) ^ 0xedb8_8320 : remainder >> 1 }
        }
        return ~remainder
    }
}
