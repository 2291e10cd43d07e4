import Timelines

/// A queue of elements by due time, earliest first; of one instant the one that was added first. A binary heap.
struct DueQueue<Element> {
    private var heap: [Item] = []
    private var added = 0

    private struct Item {
        var due: Instant
        var order: Int
        var element: Element

        func precedes(_ other: Item) -> Bool {
            (due, order) < (other.due, other.order)
        }
    }

    var firstDue: Instant? { heap.first?.due }

    mutating func add(_ element: Element, due: Instant) {
        heap.append(Item(due: due, order: added, element: element))
        added += 1
        var child = heap.count - 1
        while child > 0, heap[child].precedes(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func removeFirst() -> (due: Instant, element: Element)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return (first.due, first.element)
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in (2 * parent + 1)..<(2 * parent + 3) where child < heap.count {
                if heap[child].precedes(heap[least]) { least = child }
            }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
