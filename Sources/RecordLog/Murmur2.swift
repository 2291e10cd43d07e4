/// Java's murmur2, with which Kafka's own clients choose a partition: the owner of an entity is `murmur2(id) mod P`.
public enum Murmur2 {
    /// The partition that Java's default partitioner takes for this key: `toPositive(murmur2(key)) % partitions`.
    @inlinable
    public static func partition(of key: UnsafeRawBufferPointer, partitions: Int32) -> Partition {
        Partition(Int32(bitPattern: hash(key) & 0x7fff_ffff) % partitions)
    }

    public static func partition(of key: String, partitions: Int32) -> Partition {
        var key = key
        return key.withUTF8 { partition(of: UnsafeRawBufferPointer($0), partitions: partitions) }
    }

    @inlinable
    public static func hash(_ data: UnsafeRawBufferPointer) -> UInt32 {
        let multiplier: UInt32 = 0x5bd1_e995
        let count = data.count
        var hash: UInt32 = 0x9747_b28c ^ UInt32(truncatingIfNeeded: count)
        let words = count / 4
        for word in 0..<words {
            var k = UInt32(littleEndian: data.loadUnaligned(fromByteOffset: word * 4, as: UInt32.self))
            k &*= multiplier
            k ^= k >> 24
            k &*= multiplier
            hash &*= multiplier
            hash ^= k
        }
        let tail = words * 4
        switch count & 3 {
        case 3:
            hash ^= UInt32(data[tail + 2]) << 16
            fallthrough
        case 2:
            hash ^= UInt32(data[tail + 1]) << 8
            fallthrough
        case 1:
            hash ^= UInt32(data[tail])
            hash &*= multiplier
        default: break
        }
        hash ^= hash >> 13
        hash &*= multiplier
        hash ^= hash >> 15
        return hash
    }
}
