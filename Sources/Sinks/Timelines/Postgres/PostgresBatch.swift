import Postgres

/// How the records of a batch become rows of tables: they are copied to the temporary table `tideline_batch`, and
/// statements make rows of them.
protocol PostgresBatch {
    associatedtype Row: PostgresBatchRow

    /// Copies rows to `tideline_batch`.
    static var copy: String { get }

    /// The last one gives the ordinal of each row, and a word for what became of it.
    static var statements: [String] { get }

    static func rows(_ rows: ArraySlice<Row>) -> BinaryRows

    /// - Returns: `nil` if the server could not read the value.
    static func answer(_ outcome: String) -> SinkAnswer?
}

/// What is known of a record before the server is asked.
enum PostgresStep<Row> {
    case row(Row)
    /// There is nothing to ask.
    case answered(SinkAnswer)
}

/// A record that is to be written: what can be said without the server is right with it.
protocol PostgresBatchRow {
    /// Its place among the records of the batch, by which it is answered for.
    var ordinal: Int { get }
    /// The record's JSON; `nil` removes what is there.
    var value: [UInt8]? { get }
}
