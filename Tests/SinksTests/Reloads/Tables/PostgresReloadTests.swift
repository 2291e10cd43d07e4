import Dispatch
import Postgres
import RecordLog
import Sinks
import Synchronization
import TestSupport
import Testing

@Suite("The table of reloads in PostgreSQL")
struct PostgresReloadTests {
    private typealias Contract = ReloadTableContract
    private let stage: PostgresStage

    init() async throws { stage = try await PostgresStage() }

    private func sink(lockPatience: Duration = .seconds(10)) throws -> PostgresReloadSink {
        PostgresReloadSink(try stage.address(), retention: Contract.retention(), lockPatience: lockPatience)
    }

    private var contract: ReloadTableContract {
        ReloadTableContract(
            reopen: { PostgresReloadSink(try stage.address(), retention: $0) }, text: stage.text,
            instant: { "timestamptz '\($0)'" })
    }

    @Test("each record is a row with each documented field") func writesEach() throws { try contract.writesEach() }

    @Test("what was written is not written again") func redelivered() throws { try contract.redelivered() }

    @Test("what is no reload is a dead letter, and the others are written")
    func leavesOut() throws { try contract.leavesOut() }

    @Test("what was not committed with its positions is not there: a killed sink goes on as if it had not been")
    func killedBeforeCommit() throws { try contract.killedBeforeCommit() }

    @Test("a topic that was made again begins anew") func recreated() throws { try contract.recreated() }

    @Test("rows go when they are old") func retains() throws { try contract.retains() }

    @Test("the queries of the page for consumers give what it says")
    func answersThePage() throws { try contract.answersThePage("interval") }

    @Test("recipients, configurations and instants are found by an index")
    func indexes() throws {
        _ = try sink().positions(of: Contract.topic)
        let connection = try PostgresConnection(
            try stage.address("options=-cenable_seqscan%3Doff%20-cenable_bitmapscan%3Doff%20-cenable_sort%3Doff"))
        for (sql, index) in contract.queries {
            let rows = try connection.run("EXPLAIN \(sql)")
            let plan = (0..<rows.count).compactMap { rows.text($0, 0) }.joined(separator: "\n")
            let name = index.isEmpty ? "reload_configurations_pkey" : index
            #expect(plan.contains(name) && !plan.contains("Seq Scan") && !plan.contains("Sort"), "\(plan)")
        }
    }

    @Test("what the server refuses of one reload is found in the middle of a batch, and named with its field")
    func refused() throws {
        let sink = try sink()
        let records = (0..<20).map { number in
            let json = Contract.json("r\(number)", minute: number)
            return Contract.record(
                number == 7 ? json.replacing("van-12", with: #"van\u0000"#) : json, offset: Int64(number))
        }
        let answers = try sink.write(records)
        try sink.keep([0: SinkPosition(next: Offset(20))], of: Contract.topic)
        for (number, answer) in answers.enumerated() where number != 7 { #expect(answer == .done(.written)) }
        guard case .leftOut(let bad) = answers[7] else {
            Issue.record("\(answers[7])")
            return
        }
        #expect(bad.description.hasPrefix("field configurationIds[0]: PostgreSQL"), "\(bad)")
        #expect(try stage.text("SELECT count(*) FROM reloads") == "19")
    }

    @Test("a session that ends between the write and the commit: nothing counts, and the batch is written again")
    func sessionEnds() throws {
        let sink = try sink()
        let batch = [Contract.record(Contract.json(), offset: 0)]
        #expect(try sink.write(batch) == [.done(.written)])
        try stage.endSessions()
        #expect { try sink.keep([0: SinkPosition(next: Offset(1))], of: Contract.topic) } throws: {
            isUnavailable($0)
        }
        sink.rollBack()
        #expect(try stage.text("SELECT count(*) FROM reloads") == "0")
        #expect(try sink.write(batch) == [.done(.written)])
        try sink.keep([0: SinkPosition(next: Offset(1))], of: Contract.topic)
        #expect(try stage.text("SELECT count(*) FROM reloads") == "1")
    }

    @Test("tables have one sink of timelines and one of reloads, side by side; neither takes the other's place")
    func sideBySide() throws {
        let timelines = try stage.sink(lockPatience: .zero)
        #expect(try timelines.positions(of: "timelines").isEmpty)
        let reloads = try sink(lockPatience: .zero)
        #expect(try reloads.positions(of: Contract.topic).isEmpty)
        for open in [
            { try sink(lockPatience: .zero).positions(of: "x") },
            { try stage.sink(lockPatience: .zero).positions(of: "x") },
        ] {
            #expect { try open() } throws: { isRefused($0, "another sink writes there (process ") }
        }
        try stage.endSessions()
        #expect { try timelines.positions(of: "timelines") } throws: { isUnavailable($0) }
        #expect { try reloads.positions(of: Contract.topic) } throws: { isUnavailable($0) }
        #expect(try timelines.write([PostgresStage.record("a", revision: 1, offset: 0)]) == [.done(.written)])
        #expect(try reloads.write([Contract.record(Contract.json(), offset: 0)]) == [.done(.written)])
        try reloads.keep([0: SinkPosition(next: Offset(1))], of: Contract.topic)
        try timelines.keep([0: SinkPosition(next: Offset(1))], of: "timelines")
        #expect(try stage.text("SELECT string_agg(topic, ' ' ORDER BY topic) FROM positions") != nil)
        #expect(try stage.text("SELECT sinks || ' ' || reload_sinks FROM tideline_schema") == "1 1")
    }

    @Test("both may make the tables at once")
    func made() throws {
        for round in 0..<5 {
            try stage.execute("CREATE SCHEMA s\(round)")
            let address = try stage.address("options=-csearch_path%3Ds\(round)")
            let failures = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 2) { number in
                do throws(SinkError) {
                    let sink: any TimelineSink =
                        number == 0
                        ? PostgresSink(address) : PostgresReloadSink(address, retention: Contract.retention())
                    _ = try sink.positions(of: "x")
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            #expect(failures.withLock { $0 } == [])
        }
    }

    @Test("tables of the release before get the new ones, and keep their rows")
    func migration() throws {
        for statement in Self.tablesOfVersion1 { try stage.execute(statement) }
        #expect(try sink().write([Contract.record(Contract.json(), offset: 0)]) == [.done(.written)])
        #expect(try stage.text("SELECT version || ' ' || sinks FROM tideline_schema") == "2 7")
        #expect(try stage.text("SELECT value FROM timelines") == "kept")
        #expect(try stage.sink().positions(of: "timelines") == [0: SinkPosition(next: Offset(17))])
    }

    private static let tablesOfVersion1 = [
        """
        CREATE TABLE timelines(
            configuration_id text PRIMARY KEY, kind text NOT NULL, family text NOT NULL, recipient text NOT NULL,
            revision bigint NOT NULL, refresh_count bigint NOT NULL, generated_at timestamptz, next_update timestamptz,
            valid_until timestamptz, value text NOT NULL, source_partition integer NOT NULL,
            source_offset bigint NOT NULL)
        """,
        """
        CREATE TABLE entries(
            configuration_id text NOT NULL, position integer NOT NULL, entry_id text NOT NULL, date timestamptz,
            phase text NOT NULL, title text, value jsonb NOT NULL, PRIMARY KEY(configuration_id, position))
        """,
        """
        CREATE TABLE positions(
            topic text NOT NULL, partition integer NOT NULL, next bigint NOT NULL, begun bigint NOT NULL, cluster text,
            before_offset bigint, before_timestamp bigint, before_hash bigint, PRIMARY KEY(topic, partition))
        """,
        "INSERT INTO timelines VALUES('a', 'k', 'f', 'r', 1, 1, NULL, NULL, NULL, 'kept', 0, 0)",
        "INSERT INTO positions VALUES('timelines', 0, 17, 17)",
        "CREATE TABLE tideline_schema(version bigint NOT NULL, sinks bigint NOT NULL)",
        "INSERT INTO tideline_schema VALUES(1, 7)",
    ]
}
