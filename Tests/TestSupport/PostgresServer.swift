package import Foundation
import Glibc

/// A PostgreSQL server of its own for tests, on a free port of the loopback. It ends with the test process.
package final class PostgresServer: Sendable {
    /// The owner of everything, who comes in with `password` alone.
    package static let user = "tideline"
    /// What a URL has to escape is in it.
    package static let password = "pa%ss:w/ord@1"
    /// Who would come in without a password, and has no role.
    package static let missingRole = "nobody_here"

    package let port: UInt16
    package let directory: URL
    private let programs: String
    private let settings: [String]
    private let process = Running()

    private actor Running {
        var runner: ProcessRunner?
        func set(_ runner: ProcessRunner?) { self.runner = runner }
    }

    /// The one server of this test process. A test takes a database of its own from it, and leaves it running.
    package static func shared() async throws -> PostgresServer { try await sharedStart.value }

    private static let sharedStart = Task { try await PostgresServer() }

    /// Makes a server and starts it.
    ///
    /// - Parameter settings: of its configuration: `NAME=VALUE`. By default it does not wait for the disk.
    /// - Throws: `TestBrokerError` where none is installed.
    package init(settings: [String] = ["fsync=off"]) async throws {
        let folder = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted { $0 < $1 }
        guard let version = versions.last(where: { Self.isExecutable("\(folder)/\($0)/bin/initdb") }) else {
            throw TestBrokerError("no PostgreSQL server is installed here; Scripts/setup test installs it")
        }
        programs = "\(folder)/\(version)/bin"
        port = try freePortPair()
        self.settings = settings
        directory = TemporaryDirectory.make("postgres")
        let passwordFile = directory.appending(path: "password")
        try Data(Self.password.utf8).write(to: passwordFile)
        if getuid() == 0 { try Self.giveAway([directory, passwordFile]) }
        let made = try await run(
            "initdb", "--pgdata", data, "--username", Self.user, "--pwfile", passwordFile.path, "--auth",
            "scram-sha-256", "--encoding", "UTF8", "--no-locale", "--no-sync")
        guard made.succeeded else { throw TestBrokerError("initdb: \(made.standardError)") }
        let rules = directory.appending(path: "data/pg_hba.conf")
        let others = try String(contentsOf: rules, encoding: .utf8)
        let rule = "host all \(Self.missingRole) 127.0.0.1/32 trust\n"
        // In its place, for the file is its owner's.
        try (rule + others).write(to: rules, atomically: false, encoding: .utf8)
        try await start()
    }

    private var data: String { directory.appending(path: "data").path }

    private static func isExecutable(_ path: String) -> Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// The server refuses to run as root, and so it runs as nobody.
    package static func giveAway(_ files: [URL]) throws {
        guard let nobody = getpwnam("nobody") else { throw TestBrokerError("there is no user nobody") }
        for file in files where chown(file.path, nobody.pointee.pw_uid, nobody.pointee.pw_gid) != 0 {
            throw TestBrokerError("cannot give \(file.path) away: \(String(cString: strerror(errno)))")
        }
    }

    /// A program of the server with the rights of its owner.
    private func command(_ program: String, _ arguments: [String]) -> (URL, [String]) {
        let path = "\(programs)/\(program)"
        guard getuid() == 0 else { return (URL(filePath: path), arguments) }
        let words = ["--reuid", "nobody", "--regid", "nogroup", "--clear-groups", "--pdeathsig", "QUIT", "--", path]
        return (URL(filePath: "/usr/bin/setpriv"), words + arguments)
    }

    private func run(_ program: String, _ arguments: String...) async throws -> ProcessResult {
        let (path, words) = command(program, arguments)
        return try await ProcessRunner.run(path, words, directory: directory)
    }

    // MARK: - Its life

    /// Starts it, again if it has ended, and returns when it answers.
    package func start() async throws {
        var words = ["-D", data, "-p", "\(port)", "-k", directory.path]
        for setting in ["listen_addresses=127.0.0.1", "max_wal_size=1GB"] + settings {
            words += ["-c", setting]
        }
        let (path, arguments) = command("postgres", words)
        let runner = try ProcessRunner(path, arguments, directory: directory, timeout: .seconds(86_400))
        await process.set(runner)
        let answers = try await eventually {
            guard runner.isRunning else { throw TestBrokerError("postgres: \(runner.errorOutput)") }
            return try await run("pg_isready", "-q", "-h", "127.0.0.1", "-p", "\(port)").succeeded
        }
        guard answers else { throw TestBrokerError("postgres does not answer: \(runner.errorOutput)") }
    }

    /// Ends it in order, with whoever is connected (`pg_ctl stop -m fast`).
    package func stop() async { await end(by: SIGINT) }

    /// Ends it as a crash does (`pg_ctl stop -m immediate`).
    package func crash() async { await end(by: SIGQUIT) }

    private func end(by signal: Int32) async {
        guard let runner = await process.runner else { return }
        runner.signal(signal)
        _ = await runner.result()
        await process.set(nil)
    }

    /// SIGSTOP or SIGCONT of all its processes: it has its connections, and answers nothing.
    package func signal(_ number: Int32) async {
        guard let runner = await process.runner else { return }
        let parent = runner.processIdentifier
        let list = try? String(contentsOfFile: "/proc/\(parent)/task/\(parent)/children", encoding: .utf8)
        runner.signal(number)
        for child in (list ?? "").split(separator: " ").compactMap({ Int32($0) }) { _ = Glibc.kill(child, number) }
    }

    // MARK: - What is in it

    /// Makes a database, and gives its name.
    package func makeDatabase(_ options: String = "") async throws -> String {
        let name = uniqueName("d").replacing("-", with: "_")
        try await psql("postgres", "CREATE DATABASE \(name) \(options)")
        return name
    }

    /// The address of a database, as a user writes it.
    ///
    /// - Parameters:
    ///   - user: of plain letters.
    ///   - query: what follows `?`.
    package func url(
        _ database: String, user: String = PostgresServer.user, password: String? = PostgresServer.password,
        query: String = ""
    ) -> String {
        let allowed = CharacterSet.alphanumerics
        let secret = password?.addingPercentEncoding(withAllowedCharacters: allowed).map { ":\($0)" } ?? ""
        return "postgres://\(user)\(secret)@127.0.0.1:\(port)/\(database)\(query.isEmpty ? "" : "?\(query)")"
    }

    /// Runs psql, and gives what it prints: a line a row, `|` between columns.
    ///
    /// - Parameter commands: each a statement, or one of psql's own.
    @discardableResult
    package func psql(_ database: String, _ commands: String...) async throws -> String {
        let result = try await startPsql(database, commands).result()
        guard result.succeeded else { throw TestBrokerError("psql: \(result.standardError)") }
        return result.standardOutput
    }

    /// Runs a program of the client, such as `createdb`, as the owner of everything.
    @discardableResult
    package func client(_ program: String, _ words: [String]) async throws -> ProcessResult {
        try await ProcessRunner.run(
            URL(filePath: "\(programs)/\(program)"), words,
            environment: [
                "PGPASSWORD": Self.password, "PGHOST": "127.0.0.1", "PGPORT": "\(port)", "PGUSER": Self.user,
            ])
    }

    package func startPsql(_ database: String, _ commands: [String]) throws -> ProcessRunner {
        let words = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", "\(port)"]
        return try ProcessRunner(
            URL(filePath: "\(programs)/psql"),
            words + ["-U", Self.user, "-d", database] + commands.flatMap { ["-c", $0] },
            environment: ["PGPASSWORD": Self.password])
    }
}
