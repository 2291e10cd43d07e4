import Foundation
import Glibc

/// A real Redis on a port of its own, for one test: started by it, killed by it, gone with it.
package final class RedisProcess {
    package let port: UInt16
    private let directory = TemporaryDirectory.make("redis")
    private let options: [String]
    private var process: ProcessRunner?

    /// Starts it, and returns when it answers.
    ///
    /// - Parameter options: as on its command line; without any it keeps nothing on a disk.
    package init(_ options: [String] = ["--save", "", "--appendonly", "no"]) throws {
        // hiredis writes to connections that the server has closed.
        _ = Glibc.signal(SIGPIPE, SIG_IGN)
        self.options = options
        port = try freePortPair()
        try start()
    }

    deinit { kill() }

    package var address: String { "redis://127.0.0.1:\(port)" }

    /// - Parameter withOptions: others than those of `init`.
    package func start(_ withOptions: [String]? = nil) throws {
        process = try ProcessRunner(
            Self.executable("redis-server"),
            [
                "--port", String(port), "--bind", "127.0.0.1", "--dir", directory.path, "--enable-debug-command", "yes",
                // Its default lies 10,000 above, where high ports have none.
                "--cluster-port", String(port + 1),
            ] + (withOptions ?? options), timeout: .seconds(600))
        for _ in 0..<1000 {
            if try cli("PING").contains("PONG") || cli("PING").contains("NOAUTH") { return }
            usleep(20_000)
        }
        throw TestBrokerError("redis-server does not answer: \(process?.output ?? "")")
    }

    /// `kill -9`, and returns when it is gone.
    package func kill() {
        process?.kill()
        _ = process?.waitBlocking()
        process = nil
    }

    /// SIGSTOP or SIGCONT: it has its connections, and answers nothing.
    package func signal(_ number: Int32) { process?.signal(number) }

    /// Runs redis-cli, and returns what it prints, without the last line end.
    @discardableResult
    package func cli(_ arguments: String...) throws -> String { try cli(arguments) }

    @discardableResult
    package func cli(_ arguments: [String]) throws -> String {
        let result = try ProcessRunner(
            Self.executable("redis-cli"), ["-p", String(port), "--raw"] + arguments, timeout: .seconds(30)
        ).waitBlocking()
        let text = result.standardOutput
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    private static func executable(_ name: String) throws -> URL {
        let path = "/usr/bin/\(name)"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw TestBrokerError("\(path) is not installed: Scripts/setup test installs it")
        }
        return URL(filePath: path)
    }
}
