public import CPrefetch

/// The values of a store that are decoded: all that the open transaction has written, and some of the others.
///
/// Each value has a place of its own in memory and keeps it until `trim` or `remove`. So a value is read and changed
/// in place, whatever else is decoded meanwhile.
@usableFromInline
struct DecodedValues<Value>: ~Copyable {
    /// By slot; `nil` if the value is not decoded.
    @usableFromInline var places: [UnsafeMutablePointer<Value?>?] = []
    /// By slot: the open transaction has written the value, so its bytes are of before.
    @usableFromInline var areWritten: [Bool] = []
    /// Values that are decoded.
    @usableFromInline var count = 0
    /// The next slot that `trim` looks at.
    @usableFromInline var hand = 0
    /// Stands for every slot without a value; it is never written.
    @usableFromInline let absent = UnsafeMutablePointer<Value?>.allocate(capacity: 1)

    /// So many stay decoded after a transaction. With four tasks, ten thousand vehicles that report all the time are
    /// never decoded twice.
    @inlinable static var keptMax: Int { 4096 }

    @inlinable
    init() { absent.initialize(to: nil) }

    @inlinable
    deinit {
        for place in places { Self.free(place) }
        Self.free(absent)
    }

    @inlinable
    static func free(_ place: UnsafeMutablePointer<Value?>?) {
        place?.deinitialize(count: 1)
        place?.deallocate()
    }

    /// One more slot.
    @inlinable
    mutating func append() {
        places.append(nil)
        areWritten.append(false)
    }

    /// Takes in a value whose slot has none here.
    @inlinable
    mutating func insert(_ value: consuming Value?, _ slot: Int) -> UnsafeMutablePointer<Value?> {
        let place = UnsafeMutablePointer<Value?>.allocate(capacity: 1)
        place.initialize(to: value)
        insert(place, slot)
        return place
    }

    /// The same of a value that has its place.
    @inlinable
    mutating func insert(_ place: UnsafeMutablePointer<Value?>, _ slot: Int) {
        places[slot] = place
        count += 1
    }

    @inlinable
    mutating func remove(_ slot: Int) {
        areWritten[slot] = false
        guard let place = places[slot] else { return }
        Self.free(place)
        places[slot] = nil
        count -= 1
    }

    /// Lets values go that are not written until no more are here than are kept: those behind the ones that went last.
    @inlinable
    mutating func trim(to kept: Int = keptMax) {
        var left = places.count
        while count > kept && left > 0 {
            if hand >= places.count { hand = 0 }
            if hand + 8 < places.count, let next = places[hand + 8] { cprefetch(next) }
            if !areWritten[hand] { remove(hand) }
            hand += 1
            left -= 1
        }
    }

    /// Gives back the memory of slots that do not exist any more.
    @inlinable
    mutating func truncate(to count: Int) {
        for slot in min(count, places.count)..<places.count { remove(slot) }
        places.truncate(to: count)
        areWritten.truncate(to: count)
    }
}
