/// Gives byte keys dense numbers, their slots, and finds them again. Keys are never forgotten.
///
/// Open addressing over Java's murmur2, which the caller has at hand already because it decides the partition. All
/// keys of a task agree in that hash modulo the partition count, so the table index is taken from mixed bits.
/// Inlinable, like the store around it: the hot path is compiled for the types that it is used with.
public struct KeyTable {
    @usableFromInline var bytes: [UInt8] = []
    /// The end of each slot's key in `bytes`; the key begins at the end of the one before.
    @usableFromInline var ends: [Int] = []
    @usableFromInline var hashes: [UInt32] = []
    /// Slot + 1, or 0 where empty; the count is a power of two.
    @usableFromInline var table: [UInt32]
    @usableFromInline var shift: UInt32

    public init() {
        table = Array(repeating: 0, count: 16)
        shift = 28
    }

    public var count: Int { ends.count }

    /// - Complexity: O(1).
    @inlinable
    public func find(_ key: UnsafeRawBufferPointer, hash: UInt32) -> Int? {
        table.withUnsafeBufferPointer { table in
            let mask = table.count - 1
            var index = Int((hash &* 0x9e37_79b1) >> shift)
            while true {
                let entry = table[index]
                if entry == 0 { return nil }
                let slot = Int(entry) - 1
                if hashes[slot] == hash, isKey(key, of: slot) { return slot }
                index = (index + 1) & mask
            }
        }
    }

    /// The key's slot; a new one, the next number, where it was not known.
    @inlinable
    public mutating func slot(of key: UnsafeRawBufferPointer, hash: UInt32) -> Int {
        if let slot = find(key, hash: hash) { return slot }
        return add(key, hash: hash)
    }

    @inlinable
    public func withKey<Result>(of slot: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let start = slot == 0 ? 0 : ends[slot - 1]
        let end = ends[slot]
        return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }

    @inlinable
    func isKey(_ key: UnsafeRawBufferPointer, of slot: Int) -> Bool {
        withKey(of: slot) { stored in
            guard stored.count == key.count else { return false }
            for index in 0..<key.count where stored[index] != key[index] { return false }
            return true
        }
    }

    @usableFromInline
    mutating func add(_ key: UnsafeRawBufferPointer, hash: UInt32) -> Int {
        if (ends.count + 1) * 2 > table.count { grow() }
        let slot = ends.count
        bytes.append(contentsOf: key)
        ends.append(bytes.count)
        hashes.append(hash)
        place(slot)
        return slot
    }

    private mutating func place(_ slot: Int) {
        let mask = table.count - 1
        var index = Int((hashes[slot] &* 0x9e37_79b1) >> shift)
        while table[index] != 0 { index = (index + 1) & mask }
        table[index] = UInt32(slot + 1)
    }

    private mutating func grow() {
        table = Array(repeating: 0, count: table.count * 2)
        shift -= 1
        for slot in 0..<ends.count { place(slot) }
    }
}
