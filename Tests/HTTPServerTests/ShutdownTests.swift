import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// The two places at which libmicrohttpd ends the whole process, or closes a file that is no longer its own.
@Suite("the server's start and end beside other threads", .timeLimit(.minutes(10)))
struct ShutdownTests {
    @Test("a server ends while clients connect to it")
    func endsWhileClientsConnect() async throws {
        try await onThread {
            for _ in 0..<150 {
                var configuration = HTTPServerConfiguration()
                configuration.threads = 8
                let server = try HTTPServer(configuration) { _ in .now(HTTPResponse(200)) }
                let port = server.port
                let answered = Atomic(0)
                let refused = DispatchSemaphore(value: 0)
                for _ in 0..<3 {
                    Thread.detachNewThread {
                        while let connection = try? RawConnection(port: port) {
                            connection.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                            // Whoever comes at the end gets a 503 or nothing.
                            if connection.readToEnd().starts(with: Array("HTTP/1.1 200".utf8)) {
                                answered.wrappingAdd(1, ordering: .relaxed)
                            }
                        }
                        refused.signal()
                    }
                }
                try #require(eventually { answered.load(ordering: .relaxed) >= 10 })
                server.shutdown(grace: .milliseconds(20))
                for _ in 0..<3 { try #require(refused.wait(timeout: .now() + 30) == .success) }
            }
        }
    }

    @Test("a socket that cannot be replaced stops listening all the same, and one that is interrupted is replaced")
    func cannotReplace() async throws {
        try await onThread {
            let refused = try ListeningSocket("127.0.0.1", port: 0)
            _ = try RawConnection(port: refused.port)
            refused.close { _, _ in
                errno = EBADF
                return -1
            }
            #expect(throws: (any Error).self) { try RawConnection(port: refused.port) }
            Glibc.close(refused.lent)

            let interrupted = try ListeningSocket("127.0.0.1", port: 0)
            var tries = 0
            interrupted.close { old, new in
                tries += 1
                if tries < 3 {
                    errno = EINTR
                    return -1
                }
                return dup2(old, new)
            }
            #expect(tries == 3)
            // A program that another test is just starting holds the old socket, too, until it runs.
            #expect(eventually { (try? RawConnection(port: interrupted.port)) == nil })
            Glibc.close(interrupted.lent)
        }
    }

    @Test("a server that cannot start leaves the files of other threads open")
    func cannotStart() async throws {
        let directory = URL.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        var configuration = HTTPServerConfiguration()
        configuration.tls = TLSFiles(
            certificate: directory.appending(path: "damaged.pem").path,
            key: directory.appending(path: "damaged.key").path)
        let begin = "-----BEGIN"
        try Data("\(begin) CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)
            .write(to: directory.appending(path: "damaged.pem"))
        try Data("\(begin) PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n".utf8)
            .write(to: directory.appending(path: "damaged.key"))
        let bad = configuration
        try await onThread {
            let isDone = Atomic(false)
            let ended = DispatchSemaphore(value: 0)
            let lost = Atomic(0)
            for _ in 0..<2 {
                Thread.detachNewThread {
                    while !isDone.load(ordering: .relaxed) {
                        let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
                        usleep(20)
                        if close(file) != 0 { lost.wrappingAdd(1, ordering: .relaxed) }
                    }
                    ended.signal()
                }
            }
            for _ in 0..<500 {
                #expect(throws: HTTPServerError.self) { try HTTPServer(bad) { _ in .now(HTTPResponse(200)) } }
            }
            isDone.store(true, ordering: .relaxed)
            ended.wait()
            ended.wait()
            #expect(lost.load(ordering: .relaxed) == 0)
        }
    }
}
