/// A counter's name, and the two labels by which it counts apart.
package struct CounterKey: Hashable, Sendable {
    package var name: String
    package var label: String
    package var other: String

    package init(_ name: String, _ label: String, _ other: String) {
        self.name = name
        self.label = label
        self.other = other
    }
}

/// Counts by key. The first few keys are found by comparing: a timeline counts several times, mostly with keys that
/// were there before, and hashing three texts costs more.
struct LabelledCounts: Sendable {
    private var first: [Count] = []
    private var others: [CounterKey: Int] = [:]

    private struct Count: Sendable {
        var key: CounterKey
        var amount: Int
    }

    private static let firstMax = 16

    /// All that was counted since the last `reset`.
    var all: [CounterKey: Int] {
        first.reduce(into: others) { all, count in
            if count.amount != 0 { all[count.key] = count.amount }
        }
    }

    mutating func add(_ amount: Int, to name: String, _ label: String, _ other: String) {
        // Keys that are counted one after the other differ in their name, and look alike in the rest.
        for index in first.indices
        where first[index].key.name == name && first[index].key.other == other && first[index].key.label == label {
            first[index].amount += amount
            return
        }
        let key = CounterKey(name, label, other)
        if first.count < Self.firstMax {
            first.append(Count(key: key, amount: amount))
        } else {
            others[key, default: 0] += amount
        }
    }

    /// Adds all that others have counted.
    mutating func add(_ counts: LabelledCounts) {
        for count in counts.first where count.amount != 0 {
            add(count.amount, to: count.key.name, count.key.label, count.key.other)
        }
        for (key, amount) in counts.others { add(amount, to: key.name, key.label, key.other) }
    }

    /// Begins anew; the first keys keep their places.
    mutating func reset() {
        for index in first.indices { first[index].amount = 0 }
        others.removeAll(keepingCapacity: true)
    }
}

/// Equal are those that counted the same, in whichever order.
extension LabelledCounts: Hashable {
    static func == (left: LabelledCounts, right: LabelledCounts) -> Bool { left.all == right.all }

    func hash(into hasher: inout Hasher) { hasher.combine(all) }
}
