/// What a target guarantees. `SinkSuiteTests` demands it of the program, and Documentation/Sinks.md is made from it.
struct SinkGuarantee: Sendable {
    enum Writes: String {
        /// The target itself says that no record was written twice.
        case exactlyOnce = "exactly once"
        case atLeastOnce = "at least once"
    }

    enum Second: String {
        /// It ends with status 70 while the first goes on.
        case isRefused = "is refused"
        /// The first ends with status 70.
        case takesOver = "takes over; the older one ends"
        case runsBeside = "runs beside it"
    }

    /// What stands before the colon of an address.
    var scheme: String
    var writes: Writes
    /// Follows `writes` on the page.
    var remark = ""
    /// The place where the sink keeps its positions, and when; nil where it keeps none and reads all at each start.
    var positions: String?
    var second: Second
    /// How the suite takes the target away; nil where nothing can.
    var outage: String?

    static let all: [Self] = [files, calendars, tables, postgres, redis, kafka, http, lines]

    static let files = Self(
        scheme: "files", writes: .atLeastOnce, remark: "what is written twice is the same file",
        positions: "in the folder, after what was written", second: .isRefused, outage: "its disk is full")

    static let calendars = Self(
        scheme: "ics", writes: .atLeastOnce, remark: "what is written twice is the same calendar",
        positions: "in the folder, after what was written", second: .isRefused, outage: "its disk is full")

    static let tables = Self(
        scheme: "sqlite", writes: .exactlyOnce, positions: "in the database, in the same transaction",
        second: .isRefused, outage: "another program holds its lock")

    static let postgres = Self(
        scheme: "postgres", writes: .exactlyOnce,
        remark: "as far as the server keeps what it has acknowledged; one that comes back older is filled again",
        positions: "in the database, in the same transaction",
        second: .isRefused, outage: "the server crashes")

    static let redis = Self(
        scheme: "redis", writes: .exactlyOnce,
        remark: "as far as Redis keeps what it has acknowledged; one that comes back older or empty is filled again",
        positions: "in Redis, in the same transaction", second: .isRefused, outage: "`kill -9` of the server")

    static let kafka = Self(
        scheme: "kafka", writes: .exactlyOnce, remark: "for readers of committed records",
        positions: "in `TOPIC.positions`, in the same transaction", second: .takesOver,
        outage: "`kill -9` of the broker")

    static let http = Self(
        scheme: "http", writes: .atLeastOnce, remark: "each with an id that stays the same",
        positions: "in the ledger `ID.pushes`, after the answer", second: .takesOver, outage: "`kill -9` of the server")

    static let lines = Self(
        scheme: "stdout", writes: .atLeastOnce, remark: "from the earliest record at each start", positions: nil,
        second: .runsBeside, outage: nil)
}
