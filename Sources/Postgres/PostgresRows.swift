import CPostgres

/// The rows that a statement gave, as text.
package final class PostgresRows {
    private let result: OpaquePointer

    /// Takes the result over.
    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    package var count: Int { Int(PQntuples(result)) }

    /// The value of a column; `nil` is NULL.
    package func text(_ row: Int, _ column: Int) -> String? {
        let (row, column) = (Int32(row), Int32(column))
        guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column) else { return nil }
        let count = Int(PQgetlength(result, row, column))
        return start.withMemoryRebound(to: UInt8.self, capacity: count) {
            String(decoding: UnsafeBufferPointer(start: $0, count: count), as: UTF8.self)
        }
    }

    /// The number in a column; `nil` if it is NULL or none.
    package func integer(_ row: Int, _ column: Int) -> Int64? { text(row, column).flatMap { Int64($0) } }
}

/// A statement with the values of `$1`, `$2` …; `nil` is NULL. A value must not hold a zero.
package struct PostgresStatement: Sendable {
    package var sql: String
    package var values: [String?]

    package init(_ sql: String, _ values: [String?] = []) {
        self.sql = sql
        self.values = values
    }
}
