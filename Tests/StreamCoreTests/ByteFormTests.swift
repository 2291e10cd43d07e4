import StreamCore
import TestSupport
import Testing

@Suite("The internal binary form")
struct ByteFormTests {
    @Test(
        "numbers of every size come back",
        arguments: [0, 1, 127, 128, 300, 16_383, 16_384, 1 << 35, .max] as [UInt64])
    func varints(value: UInt64) throws {
        #expect(try read(written { $0.write(varint: value) }) { r throws(CorruptBytes) in try r.varint() } == value)
    }

    @Test("a number takes seven bits a byte")
    func varintSize() {
        #expect(written { $0.write(varint: 127) } == [0x7f])
        #expect(written { $0.write(varint: 128) } == [0x80, 0x01])
        #expect(written { $0.write(varint: .max) }.count == 10)
    }

    @Test("fixed numbers are little endian and come back with their sign")
    func fixedNumbers() throws {
        #expect(written { $0.write(Int64(1)) } == [1, 0, 0, 0, 0, 0, 0, 0])
        for value in [Int64.min, -1, 0, 1, .max] {
            #expect(try read(written { $0.write(value) }) { r throws(CorruptBytes) in try r.int64() } == value)
        }
        #expect(try read(written { $0.write(UInt64.max) }) { r throws(CorruptBytes) in try r.uint64() } == .max)
        for value in [0, -0.0, 1.5, .infinity, .leastNonzeroMagnitude] {
            let back = try read(written { $0.write(value) }) { r throws(CorruptBytes) in try r.double() }
            #expect(back.bitPattern == value.bitPattern)
        }
    }

    @Test("texts, bytes, lists and missing values come back")
    func composites() throws {
        let bytes = written { writer in
            writer.write("Zürich")
            writer.write("")
            writer.write([0, 255] as [UInt8])
            writer.write(optional: String?.none)
            writer.write(optional: "there")
            writer.write(optional: Int64?.none)
            writer.write(optional: Int64(-7))
            writer.write(optional: Double?.none)
            writer.write(optional: 0.5)
            writer.write(list: [3, 2, 1] as [Int64]) { $0.write($1) }
            writer.write(true)
            writer.write(UInt8(9))
        }
        try read(bytes) { reader throws(CorruptBytes) in
            #expect(try reader.string() == "Zürich")
            #expect(try reader.string() == "")
            #expect(try reader.array() == [0, 255])
            #expect(try reader.optionalString() == nil)
            #expect(try reader.optionalString() == "there")
            #expect(try reader.optionalInt64() == nil)
            #expect(try reader.optionalInt64() == -7)
            #expect(try reader.optionalDouble() == nil)
            #expect(try reader.optionalDouble() == 0.5)
            #expect(try reader.list { r throws(CorruptBytes) in try r.int64() } == [3, 2, 1])
            #expect(try reader.bool())
            #expect(try reader.byte() == 9)
        }
    }

    @Test("the rest is all that is left, once")
    func rest() throws {
        let bytes: [UInt8] = [1, 2, 3]
        try read(bytes) { reader throws(CorruptBytes) in
            #expect(try reader.byte() == 1)
            #expect(Array(reader.rest()) == [2, 3])
            #expect(Array(reader.rest()) == [])
        }
    }

    /// Everything that the stores' values are made of, in one.
    private static let sample = written { writer in
        writer.write(varint: 300)
        writer.write(Int64(-1))
        writer.write("text")
        writer.write(optional: 1.0)
        writer.write(list: ["a", "bc"]) { $0.write($1) }
    }

    private static func readSample(_ reader: inout ByteReader) throws(CorruptBytes) {
        _ = try reader.varint()
        _ = try reader.int64()
        _ = try reader.string()
        _ = try reader.optionalDouble()
        _ = try reader.list { r throws(CorruptBytes) in try r.string() }
    }

    @Test("bytes that end too early are refused, wherever they end", arguments: sample.indices)
    func truncated(count: Int) {
        #expect(throws: CorruptBytes.self) { try read(Array(Self.sample[..<count]), Self.readSample) }
    }

    @Test("whole bytes are not refused")
    func whole() throws {
        try read(Self.sample, Self.readSample)
    }

    @Test("a count of more than is there is refused before memory is asked for")
    func hugeCount() {
        let bytes = written { $0.write(varint: 1 << 40) } + [1, 2, 3]
        #expect(throws: CorruptBytes.self) { try read(bytes) { r throws(CorruptBytes) in try r.array() } }
        #expect(throws: CorruptBytes.self) {
            try read(bytes) { r throws(CorruptBytes) in try r.list { r throws(CorruptBytes) in try r.byte() } }
        }
        let negative = written { $0.write(varint: .max) }
        #expect(throws: CorruptBytes.self) { try read(negative) { r throws(CorruptBytes) in try r.string() } }
    }

    @Test(
        "a number of more than 64 bits is refused",
        arguments: [
            Array(repeating: 0xff, count: 11), Array(repeating: 0xff, count: 9) + [0x02],
            Array(repeating: 0x80, count: 10) + [0x01],
        ] as [[UInt8]])
    func longNumber(bytes: [UInt8]) {
        #expect(throws: CorruptBytes.self) { try read(bytes) { r throws(CorruptBytes) in try r.varint() } }
    }

    @Test("damaged bytes are read or refused, and never end the program", arguments: [1, 2, 3] as [UInt64])
    func damaged(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var refused = 0
        for _ in 0..<2_000 {
            var bytes = Self.sample
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            bytes.withUnsafeBytes { buffer in
                var reader = ByteReader(buffer)
                do throws(CorruptBytes) { try Self.readSample(&reader) } catch { refused += 1 }
            }
        }
        #expect(refused > 100, "the damage was too small to test anything")
    }
}
