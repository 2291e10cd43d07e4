import Foundation
import Glibc
import TestSupport
import Testing

@Suite("What tests share works")
struct SharedPartsTests {
    @Test("the broker of this run answers, and there is one")
    func sharedBroker() async throws {
        let broker = try await TestBroker.shared()
        let again = try await TestBroker.shared()
        #expect(broker.bootstrap == again.bootstrap)
        // One that was given may be on another machine, under a name.
        #expect(broker.kind == .given || isAnswering(broker.bootstrap))
    }

    @Test("a dedicated broker can be stopped and comes back at its port")
    func dedicatedBroker() async throws {
        let broker = try await TestBroker.dedicated()
        #expect(isAnswering(broker.bootstrap))
        try await broker.stop()
        #expect(!isAnswering(broker.bootstrap))
        try await broker.restart()
        #expect(isAnswering(broker.bootstrap))
        try await broker.kill()
        #expect(!isAnswering(broker.bootstrap))
    }

    @Test("a program's status and both outputs come back")
    func outputs() async throws {
        let result = try await ProcessRunner.run(
            shell, ["-c", "echo out; echo $WORD >&2; exit 3"], environment: ["WORD": "err"])
        #expect(result.status == 3)
        #expect(!result.isSignalled)
        #expect(result.standardOutput == "out\n")
        #expect(result.standardError == "err\n")
    }

    @Test("a program that takes too long is killed, and its result says so")
    func timeout() async throws {
        let result = try await ProcessRunner.run(shell, ["-c", "exec sleep 60"], timeout: .milliseconds(200))
        #expect(result.hasTimedOut)
        #expect(result.isSignalled)
        #expect(result.status == SIGKILL)
    }

    @Test("a program can be told to end, and what it wrote before is there")
    func terminate() async throws {
        let program = "trap 'echo ended; exit 0' TERM; echo ready; while :; do sleep 0.05; done"
        let runner = try ProcessRunner(shell, ["-c", program])
        #expect(await eventually { runner.output == "ready\n" })
        runner.terminate()
        let result = await runner.result()
        #expect(result.succeeded)
        #expect(result.standardOutput == "ready\nended\n")
        #expect(!runner.isRunning)
    }

    @Test("what a program leaves behind does not keep it running")
    func descendants() async throws {
        let result = try await ProcessRunner.run(shell, ["-c", "sleep 300 & echo left"], timeout: .seconds(120))
        #expect(result.succeeded)
        #expect(result.standardOutput == "left\n")
    }

    @Test("a program that does not exist is an error at once")
    func missingProgram() {
        #expect(throws: TestBrokerError.self) { try ProcessRunner(URL(filePath: "/nowhere/tideline")) }
    }

    private let shell = URL(filePath: "/bin/sh")

    /// Whether something accepts connections there.
    private func isAnswering(_ bootstrap: String) -> Bool {
        let parts = bootstrap.split(separator: ":")
        guard parts.count == 2, let port = UInt16(parts[1]) else { return false }
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr(String(parts[0]))
        return withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
