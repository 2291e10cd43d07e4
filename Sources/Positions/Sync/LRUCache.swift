/// A table of at most so many values, which drops the one that was used least recently.
///
/// - Complexity: every call is O(1), but for `keys`.
public struct LRUCache<Key: Hashable, Value> {
    fileprivate struct Node {
        var key: Key
        var value: Value
        /// The node that was used just before this one, and the one just after; `nil` at the ends.
        var older: Int?
        var newer: Int?
    }

    /// How many values there are at most.
    public let capacity: Int
    private var places: [Key: Int] = [:]
    private var nodes: [Node?] = []
    /// The places in `nodes` that are empty.
    private var vacant: [Int] = []
    private var oldest: Int?
    private var newest: Int?

    /// An empty table.
    ///
    /// - Precondition: the capacity is 1 or more.
    public init(capacity: Int) {
        precondition(capacity >= 1, "a cache holds one value at least")
        self.capacity = capacity
    }

    /// How many values there are.
    public var count: Int { places.count }

    /// The keys, the one that was used least recently first.
    public var keys: [Key] {
        var keys: [Key] = []
        keys.reserveCapacity(count)
        var place = oldest
        while let index = place, let node = nodes[index] {
            keys.append(node.key)
            place = node.newer
        }
        return keys
    }

    /// The value of a key, which counts as used now; `nil` means that there is none.
    public mutating func value(for key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        use(place)
        return nodes[place]?.value
    }

    /// The value of a key, which does not count as used.
    public func peek(_ key: Key) -> Value? {
        places[key].flatMap { nodes[$0]?.value }
    }

    /// Sets the value of a key, which counts as used now.
    ///
    /// - Returns: what was dropped for it; `nil` means that there was room.
    @discardableResult
    public mutating func insert(_ value: Value, for key: Key) -> (key: Key, value: Value)? {
        if let place = places[key] {
            nodes[place]?.value = value
            use(place)
            return nil
        }
        var dropped: (key: Key, value: Value)?
        if count == capacity, let key = oldest.flatMap({ nodes[$0]?.key }), let value = removeValue(for: key) {
            dropped = (key, value)
        }
        let node = Node(key: key, value: value)
        let place: Int
        if let empty = vacant.popLast() {
            place = empty
            nodes[place] = node
        } else {
            place = nodes.count
            nodes.append(node)
        }
        places[key] = place
        append(place)
        return dropped
    }

    /// Removes a key; `nil` means that it was not there.
    @discardableResult
    public mutating func removeValue(for key: Key) -> Value? {
        guard let place = places.removeValue(forKey: key) else { return nil }
        unlink(place)
        let value = nodes[place]?.value
        nodes[place] = nil
        vacant.append(place)
        return value
    }

    /// Removes the ones that were used least recently, until there are at most so many.
    public mutating func trim(to maximum: Int) {
        while count > maximum, let key = oldest.flatMap({ nodes[$0]?.key }) { removeValue(for: key) }
    }

    // MARK: - The order of use

    private mutating func use(_ place: Int) {
        guard place != newest else { return }
        unlink(place)
        append(place)
    }

    private mutating func append(_ place: Int) {
        nodes[place]?.older = newest
        nodes[place]?.newer = nil
        if let newest { nodes[newest]?.newer = place } else { oldest = place }
        newest = place
    }

    private mutating func unlink(_ place: Int) {
        guard let node = nodes[place] else { return }
        if let older = node.older { nodes[older]?.newer = node.newer } else { oldest = node.newer }
        if let newer = node.newer { nodes[newer]?.older = node.older } else { newest = node.older }
    }
}

extension LRUCache: Sendable where Key: Sendable, Value: Sendable {}
extension LRUCache.Node: Sendable where Key: Sendable, Value: Sendable {}
