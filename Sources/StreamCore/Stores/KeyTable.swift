/// Gives byte keys small numbers, their slots, and finds them again. A key that is removed gives back its slot and its
/// bytes: what is held follows the keys that live, not those that ever were (R19).
///
/// Open addressing over Java's murmur2, which the caller has at hand already because it decides the partition. All
/// keys of a task agree in that hash modulo the partition count, so the table index is taken from mixed bits.
/// Inlinable, like the store around it: the hot path is compiled for the types that it is used with.
public struct KeyTable {
    /// The keys' bytes, in no order, with gaps where keys were removed.
    @usableFromInline var bytes: [UInt8] = []
    /// By slot.
    @usableFromInline var places: [Place] = []
    /// Slot + 1, or 0 where empty; the count is a power of two.
    @usableFromInline var table: [UInt32]
    @usableFromInline var shift: UInt32
    private var free = FreeSlots()
    /// Bytes of removed keys.
    private var gaps = 0

    /// The place of a slot's key in `bytes`.
    @usableFromInline
    struct Place {
        @usableFromInline var start: Int
        /// −1 if the slot is free.
        @usableFromInline var count: Int32
        @usableFromInline var hash: UInt32

        @usableFromInline
        init(start: Int, count: Int32, hash: UInt32) {
            self.start = start
            self.count = count
            self.hash = hash
        }
    }

    private static let tableMin = 16
    private static let gapsMin = 4096

    public init() {
        table = Array(repeating: 0, count: Self.tableMin)
        shift = 28
    }

    /// Keys that live.
    public private(set) var count = 0

    /// The bytes of all keys, and of gaps between them.
    var byteCount: Int { bytes.count }

    /// Every slot that is in use is below it.
    @inlinable
    public var slotCount: Int { places.count }

    /// - Complexity: O(1).
    @inlinable
    public func find(_ key: UnsafeRawBufferPointer, hash: UInt32) -> Int? {
        // Without closures: these would take a copy of the table, with a reference to each of its arrays.
        let mask = table.count - 1
        var index = home(of: hash)
        while true {
            let entry = table[index]
            if entry == 0 { return nil }
            let slot = Int(entry) - 1
            if places[slot].hash == hash, isKey(key, of: slot) { return slot }
            index = (index + 1) & mask
        }
    }

    /// The key's slot; a new one, the lowest number that is free, where it was not known.
    @inlinable
    public mutating func slot(of key: UnsafeRawBufferPointer, hash: UInt32) -> Int {
        if let slot = find(key, hash: hash) { return slot }
        return add(key, hash: hash)
    }

    /// - Precondition: the slot is in use.
    @inlinable
    public func withKey<Result>(of slot: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let place = places[slot]
        precondition(place.count >= 0, "A slot that was given back has no key.")
        return bytes.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[place.start..<(place.start + Int(place.count))]))
        }
    }

    /// The hash of the slot's key, as it was given with it.
    ///
    /// - Precondition: the slot is in use.
    @inlinable
    public func hash(of slot: Int) -> UInt32 {
        precondition(places[slot].count >= 0, "A slot that was given back has no key.")
        return places[slot].hash
    }

    /// True if a key has the slot.
    @inlinable
    public func isInUse(_ slot: Int) -> Bool { slot < places.count && places[slot].count >= 0 }

    @inlinable
    func isKey(_ key: UnsafeRawBufferPointer, of slot: Int) -> Bool {
        let place = places[slot]
        guard Int(place.count) == key.count else { return false }
        return bytes.withUnsafeBytes { Self.isSame($0, from: place.start, as: key) }
    }

    /// Compares eight bytes at a time: most keys that are compared are the same.
    @inlinable
    static func isSame(_ held: UnsafeRawBufferPointer, from start: Int, as key: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index + 8 <= key.count {
            let word = held.loadUnaligned(fromByteOffset: start + index, as: UInt64.self)
            guard word == key.loadUnaligned(fromByteOffset: index, as: UInt64.self) else { return false }
            index += 8
        }
        while index < key.count {
            guard held[start + index] == key[index] else { return false }
            index += 1
        }
        return true
    }

    /// Gives a key that is not known its slot.
    @usableFromInline
    mutating func add(_ key: UnsafeRawBufferPointer, hash: UInt32) -> Int {
        if (count + 1) * 2 > table.count { resizeTable(to: table.count * 2) }
        precondition(key.count <= Int32.max, "A key is a record's key.")
        let place = Place(start: bytes.count, count: Int32(key.count), hash: hash)
        bytes.append(contentsOf: key)
        let slot = free.takeLowest(below: places.count) ?? places.count
        if slot == places.count { places.append(place) } else { places[slot] = place }
        count += 1
        enter(slot)
        return slot
    }

    // MARK: - Forgetting

    /// Forgets the key of a slot. The next new key may get the slot.
    ///
    /// - Precondition: the slot is in use.
    /// - Complexity: O(1), amortised; O(log n) of the slots that are free.
    public mutating func remove(_ slot: Int) {
        precondition(isInUse(slot), "A slot is given back once.")
        leave(slot)
        gaps += Int(places[slot].count)
        places[slot] = Place(start: 0, count: -1, hash: 0)
        free.insert(slot)
        count -= 1
    }

    /// Gives back the memory of keys that were removed, where there is enough of it.
    ///
    /// - Complexity: O(n) of the keys at times, O(1) amortised over the calls of `remove`.
    public mutating func trim() {
        while let last = places.last, last.count < 0 { places.removeLast() }
        places.releaseSpareCapacity()
        free.trim(below: places.count)
        if table.count > Self.tableMin && count * 8 < table.count {
            var size = Self.tableMin
            while size < count * 4 { size *= 2 }
            resizeTable(to: size)
        }
        if gaps > Self.gapsMin && gaps * 2 > bytes.count { closeGaps() }
    }

    private mutating func closeGaps() {
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count - gaps)
        for slot in places.indices where places[slot].count >= 0 {
            let start = places[slot].start
            places[slot].start = kept.count
            kept.append(contentsOf: bytes[start..<(start + Int(places[slot].count))])
        }
        bytes = kept
        gaps = 0
    }

    // MARK: - Table

    /// The place in the table where the search for a hash begins.
    @inlinable
    func home(of hash: UInt32) -> Int { Int((hash &* 0x9e37_79b1) >> shift) }

    private mutating func enter(_ slot: Int) {
        let mask = table.count - 1
        var index = home(of: places[slot].hash)
        while table[index] != 0 { index = (index + 1) & mask }
        table[index] = UInt32(slot + 1)
    }

    /// Takes the slot out, and moves up what stands behind it for want of its place.
    private mutating func leave(_ slot: Int) {
        let mask = table.count - 1
        var hole = home(of: places[slot].hash)
        while table[hole] != UInt32(slot + 1) { hole = (hole + 1) & mask }
        var index = hole
        while true {
            index = (index + 1) & mask
            let entry = table[index]
            if entry == 0 { break }
            let distance = (index - home(of: places[Int(entry) - 1].hash)) & mask
            if distance < (index - hole) & mask { continue }
            table[hole] = entry
            hole = index
        }
        table[hole] = 0
    }

    private mutating func resizeTable(to size: Int) {
        table = Array(repeating: 0, count: size)
        shift = UInt32(32 - size.trailingZeroBitCount)
        for slot in places.indices where places[slot].count >= 0 { enter(slot) }
    }
}
