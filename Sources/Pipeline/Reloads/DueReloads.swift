import StreamCore

/// The changes that go out now, by recipient and kind.
struct DueReloads {
    private var rows: [Row] = []
    /// The place of each key in `rows`. By the key's bytes: ids that Unicode takes for the same are others here.
    private var places: [[UInt8]: Int] = [:]

    private struct Row {
        var key: ReloadKey
        var slots: [Slot<BudgetState>]
    }

    /// Adds budgets to those of a recipient and kind.
    mutating func add(_ slots: [Slot<BudgetState>], of key: ReloadKey) {
        let place = places[key.bytes, default: rows.count]
        if place < rows.count { return rows[place].slots += slots }
        places[key.bytes] = place
        rows.append(Row(key: key, slots: slots))
    }

    /// Calls `body` for each recipient and kind, in an order that does not depend on when which slot was made.
    func forEachInOrder(_ body: (ReloadKey, [Slot<BudgetState>]) -> Void) {
        // The numbers of the rows are sorted: a row that is moved counts the references to all that it has.
        for place in rows.indices.sorted(by: { rows[$0].key.precedes(rows[$1].key) }) {
            body(rows[place].key, rows[place].slots)
        }
    }
}
