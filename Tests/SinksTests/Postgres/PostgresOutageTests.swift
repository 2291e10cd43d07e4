import Foundation
import Glibc
import Postgres
import RecordLog
import Simulation
import Sinks
import TestSupport
import Testing

@Suite("The PostgreSQL sink while its server is away, slow, full or somebody else's")
struct PostgresOutageTests {
    private typealias Contract = TimelineSinkContract

    /// A run over what the topic holds.
    private func run(
        _ sink: PostgresSink, _ cluster: MemoryCluster, notice: @escaping (SinkNotice) -> Void = { _ in },
        stop: @escaping () -> Bool = { false }
    ) throws -> SinkSummary {
        var settings = SinkSettings(topic: "timelines")
        settings.reading.untilCaughtUp = true
        settings.retryDelayMax = .milliseconds(500)
        return try SinkRunner(
            cluster: cluster, sink: sink, settings: settings, clock: SteppingClock(), shouldStop: stop, notice: notice
        ).run()
    }

    private func topic(_ count: Int) -> MemoryCluster {
        let cluster = MemoryCluster()
        cluster.createTopic("timelines", partitions: 1)
        for number in 0..<count {
            cluster.appendKeyed("timelines", key: "c\(number)", value: Contract.timeline("c\(number)", revision: 1))
        }
        return cluster
    }

    @Test("down at the start, and crashed in mid-run: the sink waits, and all is there once")
    func away() async throws {
        let server = try await PostgresServer()
        let stage = try await PostgresStage(on: server)
        await server.stop()
        let sink = try stage.sink()
        #expect { try sink.positions(of: "timelines") } throws: { isUnavailable($0, "Connection refused") }
        try await server.start()
        #expect(try sink.positions(of: "timelines").isEmpty)
        _ = try sink.write([PostgresStage.record("a", revision: 1, offset: 0)])
        await server.crash()
        #expect { try sink.keep([:], of: "timelines") } throws: { isUnavailable($0) }
        sink.rollBack()
        #expect { try sink.write([PostgresStage.record("a", revision: 1, offset: 0)]) } throws: {
            isUnavailable($0, "Connection refused")
        }
        sink.rollBack()
        try await server.start()
        #expect(try stage.text("SELECT count(*) FROM timelines") == "0")
        #expect(try run(sink, topic(30)).written == 30)
        #expect(try stage.text("SELECT count(*) FROM timelines") == "30")
        await server.stop()
    }

    @Test("while somebody holds a lock, a batch is waited for and then written as a whole")
    func locked() async throws {
        let stage = try await PostgresStage()
        let sink = try stage.sink("options=-clock_timeout%3D300")
        _ = try sink.positions(of: "timelines")
        let other = try PostgresConnection(try stage.address())
        try other.run([PostgresStatement("BEGIN"), PostgresStatement("LOCK TABLE entries")])
        var told: [String] = []
        let summary = try run(sink, topic(10)) { notice in
            told.append("\(notice)")
            // It holds no longer once the sink has said that it waits.
            if case .holding = notice { _ = try? other.run("COMMIT") }
        }
        #expect(summary.written == 10)
        #expect(told.count == 2 && told[0].contains("lock timeout (55P03)"), "\(told)")
        #expect(try stage.text("SELECT count(*) FROM entries") == "10")
    }

    @Test("a batch that takes longer than the server allows is written by halves, and the run turns meanwhile")
    func slow() async throws {
        let stage = try await PostgresStage()
        let sink = try stage.sink("options=-cstatement_timeout%3D1s")
        _ = try sink.positions(of: "timelines")
        try stage.execute(
            "CREATE FUNCTION slow() RETURNS trigger AS 'BEGIN PERFORM pg_sleep(0.3); RETURN NEW; END' LANGUAGE plpgsql")
        try stage.execute("CREATE TRIGGER slow BEFORE INSERT ON timelines FOR EACH ROW EXECUTE FUNCTION slow()")
        var asked: [ContinuousClock.Instant] = []
        let summary = try run(
            sink, topic(16),
            stop: {
                asked.append(.now)
                return false
            })
        #expect(summary.written == 16)
        // All of it takes eleven seconds.
        let longest = zip(asked, asked.dropFirst()).map { $1 - $0 }.max() ?? .zero
        #expect(longest > .seconds(1) && longest < .seconds(8), "\(longest)")
    }

    @Test("a server that hangs is given up after its time; the sink waits for its lock, and goes on with it")
    func hangs() async throws {
        let stage = try await PostgresStage()
        let sink = try stage.sink("options=-cstatement_timeout%3D1s", lockPatience: .zero)
        _ = try sink.positions(of: "timelines")
        let session = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%positions%'"
        let server = try #require(try stage.text("\(session) AND pid <> pg_backend_pid()").flatMap { pid_t($0) })
        guard kill(server, SIGSTOP) == 0 else {
            print("not tested, a server that hangs: its process is another user's")
            return
        }
        let record = PostgresStage.record("a", revision: 1, offset: 0)
        #expect { try sink.write([record]) } throws: { isUnavailable($0, "the server has said nothing for 11.0") }
        sink.rollBack()
        #expect { try sink.write([record]) } throws: { isUnavailable($0, "still has the lock") }
        sink.rollBack()
        kill(server, SIGCONT)
        let isBack = await eventually { (try? sink.write([record])) == [.done(.written)] }
        #expect(isBack)
        try sink.keep([:], of: "timelines")
    }

    @Test("tables have one sink at a time: the second is refused, and told who writes there")
    func second() async throws {
        let stage = try await PostgresStage()
        let first = try stage.sink()
        _ = try first.positions(of: "timelines")
        #expect { try stage.sink("application_name=x", lockPatience: .zero).positions(of: "timelines") } throws: {
            isRefused($0, "another sink writes there (process ") && isRefused($0, "tideline-sink, from 127.0.0.1")
        }
        try first.keep([:], of: "timelines")
        // Other tables have another lock.
        try stage.execute("CREATE SCHEMA other")
        #expect(try stage.sink("options=-csearch_path%3Dother", lockPatience: .zero).positions(of: "x").isEmpty)
    }

    @Test("a sink that lost its connection comes back, unless another one took its place meanwhile")
    func fenced() async throws {
        let stage = try await PostgresStage()
        let first = try stage.sink()
        _ = try first.write([PostgresStage.record("a", revision: 1, offset: 0)])
        try first.keep([:], of: "timelines")
        try stage.endSessions()
        #expect(throws: SinkError.self) { try first.write([PostgresStage.record("a", revision: 2, offset: 1)]) }
        first.rollBack()
        #expect(try first.write([PostgresStage.record("a", revision: 2, offset: 1)]) == [.done(.written)])
        try first.keep([:], of: "timelines")
        try stage.endSessions()
        do {
            let other = try stage.sink()
            _ = try other.write([PostgresStage.record("a", revision: 3, offset: 2)])
            try other.keep([0: SinkPosition(next: Offset(3))], of: "timelines")
            #expect(throws: SinkError.self) { try first.keep([:], of: "timelines") }
            #expect { try stage.sink(lockPatience: .zero).positions(of: "x") } throws: { isRefused($0, "another sink") }
        }
        first.rollBack()
        #expect { try first.write([PostgresStage.record("a", revision: 2, offset: 1)]) } throws: {
            isRefused($0, "another sink took this one's place")
        }
        #expect(try stage.text("SELECT revision FROM timelines") == "3")
    }

    @Test("a server that comes back older than what it acknowledged is noticed, and the sink goes on from there")
    func setBack() async throws {
        let stage = try await PostgresStage()
        let sink = try stage.sink()
        #expect(try sink.positions(of: "timelines").isEmpty)
        for revision in 1...2 {
            _ = try sink.write([PostgresStage.record("a", revision: revision, offset: Int64(revision - 1))])
            try sink.keep([0: SinkPosition(next: Offset(Int64(revision)))], of: "timelines")
        }
        // As a standby that had not got the last commit.
        try stage.execute("UPDATE positions SET next = 1")
        try stage.execute("DELETE FROM timelines")
        try stage.endSessions()
        #expect(throws: SinkError.self) { try sink.write([PostgresStage.record("a", revision: 3, offset: 2)]) }
        sink.rollBack()
        #expect { try sink.write([PostgresStage.record("a", revision: 3, offset: 2)]) } throws: { error in
            if case .setBack = error as? SinkError { true } else { false }
        }
        #expect(try sink.positions(of: "timelines").mapValues(\.next) == [0: Offset(1)])
    }

    @Test("a full disk is waited for, and the batch is written when there is room")
    func fullDisk() async throws {
        let server = try await PostgresServer()
        let disk = server.directory.appending(path: "disk")
        try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
        guard try await mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", disk.path) else {
            print("not tested, a full disk: mounting a file system needs root's rights")
            return
        }
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await fill(disk, of: server))
        } catch {
            outcome = .failure(error)
        }
        await server.stop()
        _ = try await ProcessRunner.run(URL(filePath: "/usr/bin/umount"), [disk.path])
        try outcome.get()
    }

    private func fill(_ disk: URL, of server: PostgresServer) async throws {
        try PostgresServer.giveAway([disk])
        try await server.psql("postgres", "CREATE TABLESPACE small LOCATION '\(disk.path)'")
        let stage = try await PostgresStage(on: server)
        let sink = try stage.sink("options=-cdefault_tablespace%3Dsmall")
        let records = (0..<1500).map { PostgresStage.record("c\($0)", revision: 1, offset: Int64($0)) }
        for _ in 0..<2 {
            #expect { try sink.write(records) } throws: { isUnavailable($0, "No space left on device (53100)") }
            sink.rollBack()
        }
        #expect(try stage.text("SELECT count(*) FROM timelines") == "0")
        #expect(try await mount("-o", "remount,size=64m", disk.path))
        #expect(try sink.write(records).allSatisfy { $0 == .done(.written) })
        try sink.keep([0: SinkPosition(next: Offset(1500))], of: "timelines")
        #expect(try stage.text("SELECT count(*) FROM entries") == "1500")
    }

    private func mount(_ arguments: String...) async throws -> Bool {
        try await ProcessRunner.run(URL(filePath: "/usr/bin/mount"), arguments).succeeded
    }
}
