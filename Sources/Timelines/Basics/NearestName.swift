/// The name that was probably meant; `nil` means that none is near enough.
///
/// It is the first of the names with the fewest letters to insert, delete, replace or swap with their neighbour, if
/// these are one letter or at most a third of all. Otherwise it is the first name that contains the given one, or is
/// contained in it.
package func nearestName(to name: String, among names: some Sequence<String>) -> String? {
    let letters = Array(name.lowercased().unicodeScalars)
    var nearest: (name: String, distance: Int)?
    for candidate in names {
        let others = Array(candidate.lowercased().unicodeScalars)
        let distance = editDistance(letters, others)
        guard distance <= max(1, max(letters.count, others.count) / 3), distance < nearest?.distance ?? .max
        else { continue }
        nearest = (candidate, distance)
    }
    if let nearest { return nearest.name }
    // `interval` is likely to be `fixedInterval`; less than three letters are in too many names.
    let asked = name.lowercased()
    return names.first { candidate in
        let other = candidate.lowercased()
        return min(asked.count, other.count) > 2 && (other.contains(asked) || asked.contains(other))
    }
}

/// The distance of optimal string alignment: Levenshtein's distance with swapped neighbours as one step.
private func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 0..<left.count {
        var current = [row + 1]
        current.reserveCapacity(right.count + 1)
        for column in 0..<right.count {
            let isSame = left[row] == right[column]
            var distance = min(last[column + 1] + 1, current[column] + 1, last[column] + (isSame ? 0 : 1))
            if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                distance = min(distance, beforeLast[column - 1] + 1)
            }
            current.append(distance)
        }
        beforeLast = last
        last = current
    }
    return last[right.count]
}
