package import Foundation
import Glibc
import Synchronization

private let testBrokerScript = PackageRoot.url.appending(path: "Scripts/test-broker")

/// Runs Scripts/test-broker and waits: only on a thread of its own.
package func script(_ arguments: [String]) throws -> String {
    let runner = try ProcessRunner(testBrokerScript, arguments)
    let result = runner.waitBlocking()
    guard result.succeeded else { throw TestBrokerError(result.standardError) }
    return result.standardOutput.trimmingCharacters(in: .newlines)
}

/// Leaves a guard beside the broker that outlives this process, however it ends, and then ends the broker and removes
/// its directory. An `atexit` would miss a test process that is killed.
package func endWithThisProcess(_ directory: URL) throws {
    let guardian = ChildProcess(
        path: "/usr/bin/setsid",
        arguments: ["--fork", testBrokerScript.path, "guard", directory.path, String(getpid())])
    var status: Int32 = 0
    waitpid(try guardian.start(), &status, 0)
    guard status == 0 else { throw TestBrokerError("the guard of \(directory.path) did not start") }
}

/// A port P of the loopback for which P and P+1 are free: the broker takes both. No port is given out twice.
///
/// It lies below the ports that the system gives to connections (ip(7)): one of these may have taken the port of a
/// server that is stopped, and must come back at its port.
package func freePortPair() throws -> UInt16 {
    let range = try? String(contentsOfFile: "/proc/sys/net/ipv4/ip_local_port_range", encoding: .utf8)
    let lowest = range?.split(whereSeparator: \.isWhitespace).first.flatMap { UInt16($0) } ?? 32_768
    return try givenOut.withLock { givenOut in
        for _ in 0..<1000 {
            let wanted = lowest > 20_000 ? UInt16.random(in: 10_000..<lowest - 1) : 0
            guard let first = BoundPort(wanted), first.port < UInt16.max, BoundPort(first.port + 1) != nil,
                givenOut.isDisjoint(with: [first.port, first.port + 1])
            else { continue }
            givenOut.formUnion([first.port, first.port + 1])
            return first.port
        }
        throw TestBrokerError("no two neighbouring ports are free on 127.0.0.1")
    }
}

private let givenOut = Mutex<Set<UInt16>>([])

/// A TCP port of the loopback, bound for as long as this lives.
private struct BoundPort: ~Copyable {
    let port: UInt16
    private let socket: Int32

    /// Nil where the port is taken; 0 lets the system choose.
    init?(_ wanted: UInt16) {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = wanted.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound else {
            close(socket)
            return nil
        }
        self.socket = socket
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit {
        close(socket)
    }
}

/// Runs blocking work on a thread made for it, so that none of the cooperative pool's few threads waits.
package func onItsOwnThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Result(catching: work)) }.start()
    }
}

/// One line on standard error, apart from the test runner's own output.
func say(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
}
