import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Event streams")
struct EventStreamTests {
    /// A server that keeps the streams that it opens, and the ways in which they have ended.
    private final class Streams: Sendable {
        private let all = Mutex<[EventStream]>([])
        private let endings = Mutex<[EventStream.Ending]>([])

        func server(_ configuration: HTTPServerConfiguration = .init(), bufferLimit: Int = 64 << 10) throws
            -> HTTPServer
        {
            try HTTPServer(configuration) { [self] _ in
                let stream = EventStream(bufferLimit: bufferLimit) { [self] ending in
                    endings.withLock { $0.append(ending) }
                }
                all.withLock { $0.append(stream) }
                return .events(stream)
            }
        }

        func wait(for count: Int) -> [EventStream] {
            _ = eventually { all.withLock { $0.count } >= count }
            return all.withLock { $0 }
        }

        var ended: [EventStream.Ending] { endings.withLock { $0 } }
    }

    private func open(_ server: HTTPServer, receiveBuffer: Int32? = nil) throws -> RawConnection {
        let connection = try RawConnection(port: server.port, receiveBuffer: receiveBuffer)
        connection.send("GET /stream HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n")
        return connection
    }

    @Test("headers come at once, then events as they are sent, then the end")
    func events() async throws {
        try await onThread {
            let streams = Streams()
            let server = try streams.server()
            defer { server.shutdown() }
            let connection = try open(server)
            let head = try connection.readHead()
            #expect(head.status == 200)
            #expect(head.header("content-type") == "text/event-stream")
            #expect(head.header("content-encoding") == nil)
            let stream = try #require(streams.wait(for: 1).first)
            for number in 1...100 {
                #expect(stream.send(SharedBytes(Array("data: \(number)\n\n".utf8))))
                #expect(try connection.readChunk() == Array("data: \(number)\n\n".utf8))
            }
            #expect(server.statistics.streamsOpen == 1)
            stream.close()
            #expect(try connection.readChunk() == [])
            #expect(eventually { streams.ended == [.closed] })
            #expect(!stream.send(SharedBytes([1])))
            #expect(server.statistics.streamsOpen == 0)
        }
    }

    @Test("what many threads send while the connection is set aside and resumed arrives, in each thread's order")
    func manyThreads() async throws {
        try await onThread {
            let streams = Streams()
            var configuration = HTTPServerConfiguration()
            configuration.threads = 2
            let server = try streams.server(configuration, bufferLimit: 16 << 20)
            defer { server.shutdown() }
            let (connections, threads, events) = (8, 4, 2000)
            let clients = try (0..<connections).map { _ in try open(server) }
            let opened = streams.wait(for: connections)
            for thread in 0..<threads {
                Thread.detachNewThread {
                    for event in 0..<events {
                        let bytes = SharedBytes(Array("\(thread) \(event)\n".utf8))
                        for stream in opened { stream.send(bytes) }
                        // Lets the connections come to rest now and then, so that they are set aside.
                        if event % 50 == 0 { usleep(500) }
                    }
                }
            }
            for client in clients {
                _ = try client.readHead()
                var text: [UInt8] = []
                var lines = 0
                while lines < threads * events {
                    let read = try client.readChunk()
                    let chunk = try #require(read, "the stream hangs after \(lines) lines")
                    text += chunk
                    lines += chunk.count { $0 == UInt8(ascii: "\n") }
                }
                let numbers = String(decoding: text, as: UTF8.self).split(separator: "\n").map {
                    $0.split(separator: " ")
                }
                for thread in 0..<threads {
                    let own = numbers.filter { $0[0] == "\(thread)" }.map { String($0[1]) }
                    #expect(own == (0..<events).map { String($0) })
                }
            }
        }
    }

    @Test("bytes that are longer than a connection's memory arrive whole")
    func long() async throws {
        try await onThread {
            let streams = Streams()
            let server = try streams.server()
            defer { server.shutdown() }
            let connection = try open(server)
            let long = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
            let stream = try #require(streams.wait(for: 1).first)
            #expect(stream.send(SharedBytes(long)))
            stream.close()
            #expect(try connection.readResponse().body == long)
        }
    }

    @Test("a client that takes no bytes is closed once its buffer is full")
    func tooSlow() async throws {
        try await onThread {
            let streams = Streams()
            let server = try streams.server()
            defer { server.shutdown() }
            let connection = try open(server, receiveBuffer: 4096)
            let stream = try #require(streams.wait(for: 1).first)
            let bytes = SharedBytes([UInt8](repeating: 0, count: 16 << 10))
            var sent = 0
            // The system's own buffers take some megabytes.
            while stream.send(bytes), sent < 4096 { sent += 1 }
            #expect(sent < 4096)
            #expect(eventually { streams.ended == [.tooSlow] })
            #expect(stream.waitingBytes == 0)
            #expect(eventually { server.statistics.streamsTooSlow == 1 })
            #expect(eventually { server.statistics.connectionsOpen == 0 })
            withExtendedLifetime(connection) {}
        }
    }

    @Test("what is sent after a rest arrives as it was sent, short or long")
    func afterRests() async throws {
        try await onThread {
            let streams = Streams()
            let server = try streams.server()
            defer { server.shutdown() }
            let connection = try open(server)
            _ = try connection.readHead()
            let stream = try #require(streams.wait(for: 1).first)
            for length in [1, 3000, 5000, 20_000, 7, 6000, 60_000, 100] {
                // The connection has come to rest: its buffer's pages are given back.
                usleep(20_000)
                let sent = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ length) }
                #expect(stream.send(SharedBytes(sent)))
                var received: [UInt8] = []
                while received.count < length {
                    let chunk = try connection.readChunk()
                    received += try #require(chunk)
                }
                #expect(received == sent)
            }
        }
    }

    @Test("a stream has its lifetime")
    func lifetime() async throws {
        try await onThread {
            let endings = Mutex<[EventStream.Ending]>([])
            var configuration = HTTPServerConfiguration()
            configuration.requestTimeout = .milliseconds(400)
            let server = try HTTPServer(configuration) { _ in
                .events(
                    EventStream(lifetime: .milliseconds(300)) { ending in endings.withLock { $0.append(ending) } })
            }
            defer { server.shutdown() }
            let connection = try open(server)
            #expect(try connection.readResponse().status == 200)
            #expect(eventually { endings.withLock { $0 } == [.closed] })
        }
    }

    @Test("a long beginning leaves room for what comes behind it")
    func longBeginning() async throws {
        try await onThread {
            let endings = Mutex<[EventStream.Ending]>([])
            let server = try HTTPServer(HTTPServerConfiguration()) { _ in
                let stream = EventStream(bufferLimit: 1000) { ending in endings.withLock { $0.append(ending) } }
                stream.send(SharedBytes([UInt8](repeating: UInt8(ascii: "a"), count: 2_000_000)))
                #expect(stream.send(SharedBytes([UInt8](repeating: UInt8(ascii: "b"), count: 600))))
                #expect(!stream.send(SharedBytes([UInt8](repeating: UInt8(ascii: "c"), count: 600))))
                return .events(stream)
            }
            defer { server.shutdown() }
            let connection = try RawConnection(port: server.port)
            connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try connection.readResponse().body.isEmpty)
            #expect(eventually { endings.withLock { $0 } == [.tooSlow] })
            #expect(eventually { server.statistics.streamsTooSlow == 1 })
        }
    }

    @Test("a client that has gone is noticed when something is sent")
    func disconnected() async throws {
        try await onThread {
            let streams = Streams()
            let server = try streams.server()
            defer { server.shutdown() }
            var connection: RawConnection? = try open(server)
            _ = try connection?.readHead()
            let stream = try #require(streams.wait(for: 1).first)
            connection = nil
            #expect(eventually { !stream.send(SharedBytes(Array(": \n".utf8))) })
            #expect(eventually { streams.ended == [.disconnected] })
            #expect(eventually { server.statistics.connectionsOpen == 0 })
        }
    }

    @Test("the server's end is the end of its streams")
    func shutdown() async throws {
        try await onThread {
            let streams = Streams()
            let server = try streams.server()
            let clients = try (0..<20).map { _ in try open(server) }
            let opened = streams.wait(for: 20)
            try #require(opened.count == 20)
            #expect(eventually { server.statistics.streamsOpen == 20 })
            opened[0].send(SharedBytes(Array("last".utf8)))
            server.shutdown()
            for (client, stream) in zip(clients, opened) {
                #expect(try client.readResponse().status == 200)
                #expect(!stream.send(SharedBytes([1])))
            }
            #expect(streams.ended == [EventStream.Ending](repeating: .closed, count: 20))
        }
    }

    @Test("HEAD gives the headers alone, and HTTP/1.0 a stream without chunks")
    func otherRequests() async throws {
        try await onThread {
            let streams = Streams()
            let server = try streams.server()
            defer { server.shutdown() }
            let connection = try RawConnection(port: server.port)
            let response = try connection.request("HEAD", "/stream")
            #expect(response.header("content-type") == "text/event-stream")
            #expect(eventually { streams.ended == [.closed] })
            let old = try RawConnection(port: server.port)
            old.send("GET / HTTP/1.0\r\n\r\n")
            let stream = try #require(streams.wait(for: 2).last)
            #expect(stream.send(SharedBytes(Array("data: 1\n\n".utf8))))
            stream.close()
            #expect(try old.readResponse().text == "data: 1\n\n")
        }
    }
}
