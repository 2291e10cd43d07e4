/// A value of a configuration's `parameters`: JSON, carried through to every entry as it came.
package indirect enum ParameterValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// The number's own JSON text, so that nothing is lost or rewritten.
    case number(String)
    case string(String)
    case array([ParameterValue])
    case object(Parameters)
}

/// The members of a JSON object, ascending by key (UTF-8 bytes); a key is there once.
package struct Parameters: Hashable, Sendable {
    package private(set) var members: [Member]

    package struct Member: Hashable, Sendable {
        package var key: String
        package var value: ParameterValue

        package init(key: String, value: ParameterValue) {
            self.key = key
            self.value = value
        }
    }

    package init() {
        members = []
    }

    /// Of a key that comes twice the last one counts.
    package init(_ members: some Sequence<Member>) {
        self.members = []
        for member in members { self[member.key] = member.value }
    }

    package var isEmpty: Bool { members.isEmpty }

    /// - Complexity: O(log n) to read, O(n) to add.
    package subscript(key: String) -> ParameterValue? {
        get {
            let index = position(of: key)
            return index < members.count && members[index].key.isSameByUTF8(as: key) ? members[index].value : nil
        }
        set {
            let index = position(of: key)
            let isThere = index < members.count && members[index].key.isSameByUTF8(as: key)
            switch (newValue, isThere) {
            case (let value?, true): members[index].value = value
            case (let value?, false): members.insert(Member(key: key, value: value), at: index)
            case (nil, true): members.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// These members, and of `defaults` those whose keys are not here.
    package func merged(over defaults: Parameters) -> Parameters {
        var result = defaults
        for member in members { result[member.key] = member.value }
        return result
    }

    private func position(of key: String) -> Int {
        var low = 0
        var high = members.count
        while low < high {
            let middle = (low + high) / 2
            if members[middle].key.utf8.lexicographicallyPrecedes(key.utf8) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
