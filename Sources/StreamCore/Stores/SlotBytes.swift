/// Bytes for each slot of a store: the stored form of its value. Each slot has a block of its own, so that what is held
/// follows what lives, and nothing is moved when the store grows (R19).
///
/// A block is the count of its bytes, four bytes, then the bytes.
@usableFromInline
struct SlotBytes: ~Copyable {
    /// By slot; `nil` if the slot has no bytes.
    @usableFromInline var blocks: [UnsafeMutableRawPointer?] = []
    /// The bytes of all blocks.
    @usableFromInline private(set) var held = 0

    @usableFromInline
    init() {}

    @inlinable
    deinit {
        for block in blocks { block?.deallocate() }
    }

    /// Every slot, with bytes or without.
    @inlinable
    var count: Int { blocks.count }

    @inlinable
    func hasBytes(_ slot: Int) -> Bool { blocks[slot] != nil }

    /// The bytes of a slot, which has some; valid until they are replaced or removed.
    @inlinable
    func bytes(of slot: Int) -> UnsafeRawBufferPointer {
        guard let block = blocks[slot] else { preconditionFailure("A slot without bytes has no value.") }
        return UnsafeRawBufferPointer(start: block + Self.prefix, count: Int(block.load(as: UInt32.self)))
    }

    /// One more slot, without bytes.
    @inlinable
    mutating func append() { blocks.append(nil) }

    /// Replaces the bytes of a slot.
    ///
    /// - Parameters:
    ///   - head: stands before the bytes.
    ///   - bytes: at most 4 GiB.
    @usableFromInline
    mutating func replace(_ slot: Int, head: UInt8? = nil, by bytes: UnsafeRawBufferPointer) {
        let count = bytes.count + (head == nil ? 0 : 1)
        let block = room(count, for: slot)
        block.storeBytes(of: UInt32(count), as: UInt32.self)
        var start = block + Self.prefix
        if let head {
            start.storeBytes(of: head, as: UInt8.self)
            start += 1
        }
        if let base = bytes.baseAddress { start.copyMemory(from: base, byteCount: bytes.count) }
    }

    /// The slot's block if it is as large as one for so many bytes is, else a new one in its place.
    private mutating func room(_ count: Int, for slot: Int) -> UnsafeMutableRawPointer {
        let size = Self.size(count)
        if let block = blocks[slot] {
            let before = Self.size(Int(block.load(as: UInt32.self)))
            if before == size { return block }
            held -= before
            block.deallocate()
        }
        held += size
        let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
        blocks[slot] = block
        return block
    }

    @usableFromInline
    mutating func remove(_ slot: Int) {
        guard let block = blocks[slot] else { return }
        held -= Self.size(Int(block.load(as: UInt32.self)))
        block.deallocate()
        blocks[slot] = nil
    }

    /// Gives back the memory of slots that do not exist any more.
    @usableFromInline
    mutating func truncate(to count: Int) {
        for slot in min(count, blocks.count)..<blocks.count { remove(slot) }
        blocks.truncate(to: count)
    }

    @usableFromInline static var prefix: Int { 4 }

    /// Allocators round up to 16 bytes anyway.
    private static func size(_ count: Int) -> Int { (count + prefix + 15) & ~15 }
}
