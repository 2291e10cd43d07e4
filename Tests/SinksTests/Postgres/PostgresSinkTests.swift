import Foundation
import Postgres
import RecordLog
import Sinks
import TestSupport
import Testing

@Suite("The PostgreSQL sink")
struct PostgresSinkTests {
    private typealias Contract = TimelineSinkContract
    private let stage: PostgresStage

    init() async throws { stage = try await PostgresStage() }

    @Test("keeps the contract of all sinks")
    func contract() throws {
        try TimelineSinkContract(
            reopen: { try stage.sink() },
            content: { try stage.text("SELECT value FROM timelines WHERE configuration_id = '\($0)'") }
        ).check()
    }

    @Test("what was not committed with its positions is not there: a killed sink goes on as if it had not been")
    func exactlyOnce() throws {
        do {
            let sink = try stage.sink()
            _ = try sink.write([PostgresStage.record("a", revision: 1, offset: 0)])
            try sink.keep([0: SinkPosition(next: Offset(1))], of: "timelines")
            _ = try sink.write([
                PostgresStage.record("a", revision: 2, offset: 1), PostgresStage.record("b", revision: 1, offset: 2),
            ])
            try sink.flush()
            // Somebody who reads sees nothing of it.
            #expect(try stage.text("SELECT string_agg(configuration_id || revision, ',') FROM timelines") == "a1")
        }
        let sink = try stage.sink()
        #expect(try sink.positions(of: "timelines") == [0: SinkPosition(next: Offset(1))])
        #expect(try stage.text("SELECT string_agg(configuration_id || revision, ',') FROM timelines") == "a1")
        #expect(try stage.text("SELECT count(*) FROM entries") == "1")
    }

    @Test("a session that ends between the write and the commit: nothing counts, and the batch is written again")
    func killedBeforeCommit() throws {
        let sink = try stage.sink()
        _ = try sink.positions(of: "timelines")
        let batch = [PostgresStage.record("a", revision: 1, offset: 0)]
        #expect(try sink.write(batch) == [.done(.written)])
        try stage.endSessions()
        #expect {
            try sink.keep([0: SinkPosition(next: Offset(1))], of: "timelines")
        } throws: {
            isUnavailable($0, "terminating connection due to administrator command")
        }
        // Positions alone must not be committed in a new session.
        #expect(throws: SinkError.self) { try sink.keep([0: SinkPosition(next: Offset(1))], of: "timelines") }
        sink.rollBack()
        #expect(try stage.text("SELECT count(*) FROM timelines") == "0")
        #expect(try stage.text("SELECT count(*) FROM positions") == "0")
        #expect(try sink.write(batch) == [.done(.written)])
        try sink.keep([0: SinkPosition(next: Offset(1))], of: "timelines")
        #expect(try stage.text("SELECT count(*) FROM timelines") == "1")
    }

    @Test("a commit whose answer was lost is made again, and writes nothing twice")
    func inDoubt() throws {
        let sink = try stage.sink()
        let batch = [PostgresStage.record("a", revision: 1, offset: 0)]
        _ = try sink.write(batch)
        try sink.keep([0: SinkPosition(next: Offset(1))], of: "timelines")
        try stage.execute(
            """
            DO $$ BEGIN CREATE TABLE written(n int); CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN INSERT INTO written VALUES(1); RETURN NULL; END';
            CREATE TRIGGER noted AFTER INSERT OR UPDATE ON timelines FOR EACH ROW EXECUTE FUNCTION note(); END $$
            """)
        #expect(try sink.write(batch) == [.done(.unchanged)])
        try sink.keep([0: SinkPosition(next: Offset(1))], of: "timelines")
        #expect(try stage.text("SELECT count(*) FROM written") == "0")
    }

    @Test("entries follow their timeline: changed, more, fewer, none")
    func entries() throws {
        let sink = try stage.sink()
        for (revision, entries) in [(1, ["a", "b", "c"]), (2, ["a", "d"]), (3, []), (4, ["e", "f", "g", "h"])] {
            let list = entries.map { #"{"id":"\#($0)","date":"2026-11-20T06:00:00Z","phase":"tick"}"# }
            let record = PostgresStage.record("x", revision: revision, offset: Int64(revision)) { text in
                Self.withEntries(text, list)
            }
            #expect(try sink.write([record]) == [.done(.written)])
            try sink.keep([:], of: "timelines")
            let found = try stage.text("SELECT string_agg(entry_id, '' ORDER BY position) FROM entries")
            #expect(found ?? "" == entries.joined())
        }
        #expect(try sink.write(Contract.record("x", nil, offset: 9)) == .removed)
        try sink.keep([:], of: "timelines")
        #expect(try stage.text("SELECT count(*) FROM entries") == "0")
    }

    @Test("SQL says what is on screen at an instant")
    func onScreen() throws {
        let sink = try stage.sink()
        let entries = ["06:00", "06:30", "06:30", "07:00"].enumerated().map { index, time in
            #"{"id":"e\#(index)","date":"2026-11-20T\#(time):00Z","phase":"tick"}"#
        }
        _ = try sink.write([PostgresStage.record("a", revision: 1, offset: 0) { Self.withEntries($0, entries) }])
        try sink.keep([:], of: "timelines")
        for (time, id) in [("06:29", "e0"), ("06:30", "e2"), ("08:00", "e3")] {
            let shown = try stage.text(
                """
                SELECT entry_id FROM timelines JOIN entries USING(configuration_id)
                WHERE recipient = 'r' AND date <= '2026-11-20T\(time):00Z' ORDER BY date DESC, position DESC LIMIT 1
                """)
            #expect(shown == id, "\(time)")
        }
        #expect(try stage.text("SELECT value ->> 'date' FROM entries WHERE entry_id = 'e3'") == "2026-11-20T07:00:00Z")
        #expect(try stage.text("SELECT generated_at FROM timelines") == "2026-11-20 06:01:00+00")
    }

    private static func withEntries(_ timeline: String, _ entries: [String]) -> String {
        let begin = timeline.firstRange(of: #""entries":["#)?.upperBound ?? timeline.endIndex
        let end = timeline.firstRange(of: #"],"refreshCount""#)?.lowerBound ?? timeline.endIndex
        return timeline.replacingCharacters(in: begin..<end, with: entries.joined(separator: ","))
    }

    @Test("an entry is kept with whatever a later release says in it")
    func unknownMembers() throws {
        let sink = try stage.sink()
        let value = Contract.timeline("a", revision: 1).replacing(
            #""phase":"tick""#, with: #""phase":"later","date":"now","new":{"a":[1,2]}"#)
        _ = try sink.write(Contract.record("a", value, offset: 0))
        try sink.keep([:], of: "timelines")
        #expect(try stage.text("SELECT phase FROM entries WHERE date IS NULL") == "later")
        #expect(try stage.text("SELECT value #>> '{new,a,1}' FROM entries") == "2")
    }

    @Test("whoever listens hears of each timeline that changed, once it counts")
    func notifications() async throws {
        let sink = try stage.sink()
        _ = try sink.write([PostgresStage.record("old", revision: 1, offset: 0)])
        try sink.keep([:], of: "timelines")
        // The listener waits for a lock, so that it is there before, and looks afterwards.
        let gate = try PostgresConnection(try stage.address())
        try gate.run("SELECT pg_advisory_lock(77)")
        let listener = try stage.server.startPsql(
            stage.database, ["LISTEN tideline_timelines", "SELECT pg_advisory_lock(77)"])
        let isThere = try await eventually {
            try stage.text("SELECT count(*) FROM pg_locks WHERE objid = 77 AND NOT granted") == "1"
        }
        #expect(isThere)
        let long = String(repeating: "l", count: 8000)
        let answers = try sink.write([
            PostgresStage.record("old", revision: 1, offset: 0), PostgresStage.record("new", revision: 1, offset: 1),
            PostgresStage.record(long, revision: 1, offset: 2),
        ])
        #expect(answers == [.done(.unchanged), .done(.written), .done(.written)])
        try sink.keep([:], of: "timelines")
        _ = try sink.write(Contract.record("old", nil, offset: 3))
        try sink.keep([:], of: "timelines")
        _ = try sink.write([PostgresStage.record("lost", revision: 1, offset: 4)])
        sink.rollBack()
        try gate.run("SELECT pg_advisory_unlock(77)")
        let heard = await listener.result().standardOutput
        let payloads = heard.matches(of: /"tideline_timelines"(?: with payload "([^"]*)")? received/).map {
            String($0.1 ?? "")
        }
        #expect(payloads == ["new", "", "old"], "\(heard)")
    }
}
