extension RandomAccessCollection where Index == Int {
    /// The index of the first element for which `precedes` is false, found by halving; `endIndex` if there is none.
    ///
    /// - Precondition: all elements for which `precedes` is true stand before all others.
    /// - Complexity: O(log n) calls of `precedes`.
    @inlinable
    package func partitionPoint(where precedes: (Element) -> Bool) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if precedes(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
