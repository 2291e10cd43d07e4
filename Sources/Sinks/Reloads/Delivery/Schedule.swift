/// Names with the times at which they are due, in that order; what is due together in the order in which it came.
struct Schedule {
    private var entries: [(due: Duration, name: String)] = []
    /// Those before are taken.
    private var head = 0

    /// When the first is due.
    var first: Duration? { head < entries.count ? entries[head].due : nil }

    mutating func insert(_ name: String, due: Duration) {
        var (low, high) = (head, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].due <= due { low = middle + 1 } else { high = middle }
        }
        entries.insert((due, name), at: low)
    }

    /// Takes what is due; all of it, where `now` is nil.
    mutating func take(until now: Duration?) -> [String] {
        var taken: [String] = []
        while head < entries.count, now.map({ entries[head].due <= $0 }) ?? true {
            taken.append(entries[head].name)
            head += 1
        }
        if head * 2 > entries.count {
            entries.removeFirst(head)
            head = 0
        }
        return taken
    }
}
