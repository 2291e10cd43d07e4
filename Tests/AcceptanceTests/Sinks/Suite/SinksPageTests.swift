import TestSupport
import Testing

extension AcceptanceTests {
    /// Documentation/Sinks.md says what the suite demands, of each target and of all.
    @Suite struct SinksPageTests {
        @Test("the page of guarantees is what the suite demands")
        func page() throws {
            let difference = try GeneratedFile(path: "Documentation/Sinks.md").difference(from: Self.text)
            #expect(difference == nil, "\(difference ?? "")")
        }

        private static var text: String {
            """
            # What each sink guarantees

            `make reference` writes this page from the suite that every sink passes: the real program between a real
            broker and the real target. What it says of a target is what the suite demands of it.
            [Consuming](Consuming.md) says how each target is used.

            | \(columns.joined(separator: " | ")) |
            |\(String(repeating: "---|", count: columns.count))
            \(SinkGuarantee.all.map(row).joined(separator: "\n"))

            **Exactly once** means that the target's own record of what was written to it (a trigger, a stream, the
            topic) names no timeline twice, after all kills and outages. The stream of Redis, which the sink cuts, is
            read while it grows, and must have told as many changes as Redis has counted. **At least once** means that
            it may: what is there is the same. The **outage** is how the suite takes the target away; the two columns
            after it are how it makes the target slow, and what it leaves no room in.

            ## What every sink has to do

            \(SinkSuite.demands.map { "- **\($0.name)** \($0.text)" }.joined(separator: "\n"))

            Of reloads each record is a row: none is taken away, an older one is written like any other, and all rows
            of a topic that was made again stay until they are [old](Consuming.md#reloads-as-rows).

            Two rows are other forms of a sink, whose name in `TARGETS` is in brackets. Of them is demanded that they
            survive, survive at their calls, and outlast; what stands as "as …" is demanded of the other form alone.
            Reloads by webhook and by APNs are no targets of this suite: they have tests of their own
            (`ReloadTests`, `PushTests`).

            After each of these the target's own tools (psql, redis-cli, kcat, SQLite, the files themselves) are asked
            what is there: it must be the compacted topic `timelines`, or each record of `timeline.reloads`, row by row
            and byte by byte. After a topic was made again, it must be that and what the new topic does not have, as it
            was before. Of a calendar, and of what the receiver of batches shows, the revision is compared; another test
            compares a calendar's events.

            <!-- not run: the tests run it with few faults -->
            ```sh
            make sink-faults KILLS=3 OUTAGES=2 TARGETS=files,stdout
            ```

            runs it with so many faults over these targets, or over all without `TARGETS`. `SECONDS` is how long an
            outage lasts that is to last: 40, and 5 in `make test`. A name that is none of these is refused. Full disks,
            and the outage of files, need a system where root may mount file systems; elsewhere they are left out, and
            it is said.

            """
        }

        private static let columns = [
            "target", "each timeline, or reload, is written", "where the sink keeps its positions",
            "an older one that comes again", "a second sink", "its outage", "how it is slow", "what is full",
        ]

        private static func name(_ guarantee: SinkGuarantee) -> String {
            switch guarantee.content {
            case .timelines:
                switch guarantee.scheme {
                case "stdout": "`stdout`"
                case "files-by-recipient": "`files:`, a folder for each recipient (`files-by-recipient`)"
                case "http-batch": "`http:`, many at once to one address (`http-batch`)"
                default: "`\(guarantee.scheme):`"
                }
            case .reloads: "`\(guarantee.scheme.dropFirst("reloads-".count)):` of reloads"
            }
        }

        private static func row(_ guarantee: SinkGuarantee) -> String {
            let writes = guarantee.writes.rawValue + (guarantee.remark.isEmpty ? "" : ": " + guarantee.remark)
            let outage = guarantee.outage ?? "it cannot be away: where its reader goes, the sink ends with status 0"
            let same = guarantee.variantOf.map { "as `\($0):`" }
            let cells = [
                name(guarantee), writes,
                guarantee.positions ?? "nowhere", same ?? guarantee.older.rawValue,
                same ?? guarantee.second.rawValue, outage, same ?? guarantee.slow ?? "not played",
                same ?? guarantee.full ?? "not played",
            ]
            return "| " + cells.joined(separator: " | ") + " |"
        }
    }
}
