import Timelines

/// Keys in ascending order, each once, in chunks of bounded length: a page costs a search, a change moves one chunk.
struct SortedKeys: Sendable {
    /// No chunk is empty.
    private var chunks: [[TextKey]] = []
    private(set) var count = 0

    private static let chunkMaximum = 512

    var isEmpty: Bool { count == 0 }

    /// All keys in their order.
    var all: [TextKey] { chunks.flatMap { $0 } }

    /// Adds a key; nothing happens if it is there.
    ///
    /// - Complexity: O(√n) for the counts in use.
    mutating func insert(_ key: TextKey) {
        guard let chunk = chunk(for: key) else {
            chunks.append([key])
            count += 1
            return
        }
        let index = chunks[chunk].partitionPoint { $0 < key }
        if index < chunks[chunk].count, chunks[chunk][index] == key { return }
        chunks[chunk].insert(key, at: index)
        count += 1
        guard chunks[chunk].count > Self.chunkMaximum else { return }
        // Keys that arrive in order fill their chunks.
        let isLast = chunk == chunks.count - 1 && index == chunks[chunk].count - 1
        let cut = isLast ? Self.chunkMaximum : Self.chunkMaximum / 2
        let tail = Array(chunks[chunk][cut...])
        chunks[chunk].removeSubrange(cut...)
        chunks.insert(tail, at: chunk + 1)
    }

    mutating func remove(_ key: TextKey) {
        guard let chunk = chunk(for: key) else { return }
        let index = chunks[chunk].partitionPoint { $0 < key }
        guard index < chunks[chunk].count, chunks[chunk][index] == key else { return }
        chunks[chunk].remove(at: index)
        count -= 1
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    }

    /// Calls `body` with the keys behind `start` in their order, until it returns false.
    func forEach(after start: TextKey?, _ body: (TextKey) -> Bool) {
        var (chunk, index) = (0, 0)
        if let start {
            guard let first = self.chunk(for: start) else { return }
            chunk = first
            index = chunks[first].partitionPoint { !(start < $0) }
        }
        while chunk < chunks.count {
            while index < chunks[chunk].count {
                guard body(chunks[chunk][index]) else { return }
                index += 1
            }
            chunk += 1
            index = 0
        }
    }

    /// The last chunk that begins at or before the key, else the first; `nil` if there is none.
    private func chunk(for key: TextKey) -> Int? {
        guard !chunks.isEmpty else { return nil }
        return max(0, chunks.partitionPoint { !(key < $0[0]) } - 1)
    }
}
