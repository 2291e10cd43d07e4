/// How far apart two words are, and which of several is meant by a misspelt one.
package enum EditDistance {
    /// The fewest letters to insert, leave out, change or swap with their neighbour that make one word the other
    /// (optimal string alignment).
    package static func between(_ first: String, _ second: String) -> Int {
        let first = Array(first)
        let second = Array(second)
        guard !first.isEmpty, !second.isEmpty else { return max(first.count, second.count) }
        var beforeLast: [Int] = []
        var last = Array(0...second.count)
        for row in 1...first.count {
            var current = [row]
            for column in 1...second.count {
                let cost = first[row - 1] == second[column - 1] ? 0 : 1
                var best = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + cost)
                if row > 1, column > 1, first[row - 1] == second[column - 2], first[row - 2] == second[column - 1] {
                    best = min(best, beforeLast[column - 2] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[second.count]
    }

    /// The candidate that `word` is most likely meant to be, in any case; `nil` where none is near. A third of the
    /// letters may be wrong, one at least. Of equally near ones it is the first.
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        let limit = max(1, word.count / 3)
        let word = word.lowercased()
        let distances = candidates.map { (candidate: $0, distance: between(word, $0.lowercased())) }
        // One letter for another is no misspelling of a word of one letter.
        let near = distances.filter { $0.distance <= limit && $0.distance < $0.candidate.count }
        return near.min { $0.distance < $1.distance }?.candidate
    }
}
