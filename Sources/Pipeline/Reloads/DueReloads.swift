import StreamCore

/// The changes that go out now, by recipient and kind.
struct DueReloads {
    private var rows: [Row] = []

    private struct Row {
        var key: ReloadKey
        var slots: [Slot<BudgetState>]
    }

    /// Adds budgets to those of a recipient and kind.
    mutating func add(_ slots: [Slot<BudgetState>], of key: ReloadKey) { rows.append(Row(key: key, slots: slots)) }

    /// Calls `body` for each recipient and kind, in an order that does not depend on when which slot was made.
    func forEachInOrder(_ body: (ReloadKey, [Slot<BudgetState>]) -> Void) {
        // The numbers of the rows are sorted: a row that is moved counts the references to all that it has.
        var places = rows.indices.sorted { rows[$0].key.order(to: rows[$1].key) < 0 }[...]
        while let first = places.popFirst() {
            var slots = rows[first].slots
            while let next = places.first, rows[first].key.order(to: rows[next].key) == 0 {
                slots += rows[next].slots
                places.removeFirst()
            }
            body(rows[first].key, slots)
        }
    }
}
