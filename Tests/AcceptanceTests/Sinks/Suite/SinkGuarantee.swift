import FaultInjection
import Foundation

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

    enum Older: String {
        case isLeftOut = "is left out"
        case isWritten = "is written, as the topic has it"
    }

    /// What a sink writes.
    enum Content: String {
        case timelines
        case reloads

        /// Also the name of the table that has it.
        var table: String { rawValue }
        var topic: String { self == .timelines ? "timelines" : "timeline.reloads" }
        /// Names the target.
        var flag: String { self == .timelines ? "--to" : "--reloads" }

        /// What a target is to hold of a topic: the newest timelines by configuration, or each reload by recipient and
        /// instant.
        func held(of records: [Kcat.Record]) -> [String: Data] {
            guard self == .reloads else { return records.newest }
            var rows: [String: Data] = [:]
            for record in records {
                let text = String(decoding: record.value ?? Data(), as: UTF8.self)
                guard let instant = text.firstMatch(of: /"issuedAt":"([^"]*)"/)?.1 else { continue }
                rows["\(record.key)/\(instant)"] = record.value
            }
            return rows
        }
    }

    /// What stands before the colon of an address, or the name of the sink of such a table of reloads, or of a variant.
    var scheme: String
    /// The scheme of which this is another form. What is demanded of that is not demanded again, but faults.
    var variantOf: String?
    var content = Content.timelines
    var writes: Writes
    /// Follows `writes` on the page.
    var remark = ""
    /// The place where the sink keeps its positions, and when; nil where it keeps none and reads all at each start.
    var positions: String?
    var older: Older
    var second: Second
    /// How the suite takes the target away; nil where nothing can.
    var outage: String?
    /// How the suite makes the target slow; nil where nothing can.
    var slow: String?
    /// What the suite leaves no room in; nil where nothing can be full.
    var full: String?
    /// The suite has the target say of everything that it is not there.
    var isDenied = false
    /// The target says what it holds. So it can lose what a topic does not have.
    var saysWhatItHolds = false
    /// The system calls by which the sink writes, as strace has them. Those of one text are counted together, so the
    /// ones that another library makes have a text of their own.
    var calls: [String]

    static let all: [Self] = [
        files, filesByRecipient, calendars, tables, postgres, redis, kafka, http, batches, lines, reloadTables,
        reloadsInPostgres,
    ]

    static let files = Self(
        scheme: "files", writes: .atLeastOnce, remark: "what is written twice is the same file",
        positions: "in the folder, after what was written", older: .isLeftOut, second: .isRefused,
        outage: "its disk is full", slow: slowDisk, full: "its disk", saysWhatItHolds: true,
        calls: ["renameat"])

    /// A folder for each recipient.
    static let filesByRecipient = variant("files-by-recipient", of: files)

    static let calendars = Self(
        scheme: "ics", writes: .atLeastOnce, remark: "what is written twice is the same calendar",
        positions: "in the folder, after what was written", older: .isLeftOut, second: .isRefused,
        outage: "its disk is full", slow: slowDisk, full: "its disk", saysWhatItHolds: true,
        calls: ["renameat"])

    /// No disk can be stopped: strace holds one call up, as a disk that stands still does.
    private static let slowDisk = "strace holds one of the sink's calls up"

    static let tables = Self(
        scheme: "sqlite", writes: .exactlyOnce, positions: "in the database, in the same transaction",
        older: .isLeftOut, second: .isRefused, outage: "another program holds its lock",
        slow: "another program holds its lock", full: "its disk", saysWhatItHolds: true,
        calls: ["pwrite64,fdatasync"])

    static let postgres = Self(
        scheme: "postgres", writes: .exactlyOnce,
        remark: "as far as the server keeps what it has acknowledged; one that comes back older is filled again",
        positions: "in the database, in the same transaction",
        older: .isLeftOut, second: .isRefused, outage: "the server crashes", slow: "SIGSTOP of the server",
        full: "the disk of its tables", saysWhatItHolds: true, calls: ["sendto"])

    static let redis = Self(
        scheme: "redis", writes: .exactlyOnce,
        remark: "as far as Redis keeps what it has acknowledged; one that comes back older or empty is filled again",
        positions: "in Redis, in the same transaction", older: .isLeftOut, second: .isRefused,
        outage: "`kill -9` of the server", slow: "SIGSTOP of the server", full: "its memory",
        saysWhatItHolds: true, calls: ["sendto"])

    static let kafka = Self(
        scheme: "kafka", writes: .exactlyOnce, remark: "for readers of committed records",
        positions: "in `TOPIC.positions`, in the same transaction", older: .isWritten, second: .takesOver,
        outage: "`kill -9` of the broker", slow: "SIGSTOP of the broker",
        full: "the disk of its broker, which ends by it", calls: ["sendmsg"])

    static let http = Self(
        scheme: "http", writes: .atLeastOnce, remark: "each with an id that stays the same",
        positions: "in the ledger `ID.pushes`, after the answer", older: .isWritten, second: .takesOver,
        outage: "`kill -9` of the server", slow: "SIGSTOP of the server", full: "the size of its files",
        isDenied: true, calls: ["sendto", "sendmsg"])

    /// One address takes many timelines at once.
    static let batches = variant("http-batch", of: http)

    static let lines = Self(
        scheme: "stdout", writes: .atLeastOnce, remark: "from the earliest record at each start", positions: nil,
        older: .isWritten, second: .runsBeside, outage: nil, slow: "SIGSTOP of who reads its pipe",
        full: "the disk of its file", calls: ["write"])

    static let reloadTables = ofReloads(tables)
    static let reloadsInPostgres = ofReloads(postgres)

    private static func variant(_ name: String, of whole: Self) -> Self {
        var guarantee = whole
        guarantee.scheme = name
        guarantee.variantOf = whole.scheme
        return guarantee
    }

    /// The guarantee of the tables of reloads, which are beside those of timelines. Each reload is a row.
    private static func ofReloads(_ timelines: Self) -> Self {
        var guarantee = timelines
        guarantee.scheme = "reloads-\(timelines.scheme)"
        guarantee.content = .reloads
        guarantee.older = .isWritten
        guarantee.saysWhatItHolds = false
        return guarantee
    }
}

/// Names that no sink of the suite has.
struct UnknownSinks: Error, CustomStringConvertible {
    var names: [String]

    var description: String {
        let allowed = SinkGuarantee.all.map(\.scheme).joined(separator: ", ")
        return "no sink is called \(names.joined(separator: ", ")); allowed are \(allowed)"
    }
}

extension SinkGuarantee {
    /// The sinks that `text` names, in the order of the page; all of them where it names none.
    ///
    /// - Parameter text: names with commas between them.
    static func named(_ text: String) throws(UnknownSinks) -> [Self] {
        let names = text.split(separator: ",").map(String.init)
        let unknown = names.filter { name in !all.contains { $0.scheme == name } }
        guard unknown.isEmpty else { throw UnknownSinks(names: unknown) }
        return all.filter { names.isEmpty || names.contains($0.scheme) }
    }

    /// The dates of reloads are those of the tests: none is old.
    var optionsOfTables: [String] { content == .reloads ? ["--set", "reloads.keep=off"] : [] }

    /// Counts the reloads of a `SinkFeed` that are not found by the configuration that they name, and what is found
    /// besides. SQLite and PostgreSQL read it.
    static let reloadsNotFound = """
        SELECT count(*) FROM reloads AS r FULL JOIN reload_configurations AS c
            USING (source_partition, source_offset, issued_at)
        WHERE r.recipient IS DISTINCT FROM c.configuration_id
        """
}
