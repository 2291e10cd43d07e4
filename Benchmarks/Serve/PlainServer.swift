import Foundation
import HTTPServer
import Synchronization

/// The HTTP server by itself, without Tideline: a body of 1 KB, streams, and an event for one stream on request.
///
/// It runs in a process of its own, so that its memory can be measured. It says its port in its first line, and ends
/// with its standard input.
enum PlainServer {
    static func run() throws {
        let body = HTTPBody(SharedBytes([UInt8](repeating: UInt8(ascii: "x"), count: 1024)))
        let headers = [HTTPField("Content-Type", "application/json"), HTTPField("ETag", "\"1-1700000000000\"")]
        let streams = Mutex<[String: EventStream]>([:])
        var configuration = HTTPServerConfiguration()
        configuration.connectionLimit = 12_000
        let server = try HTTPServer(configuration) { request in
            switch request.path.first {
            case "stream":
                let stream = EventStream()
                stream.send(SharedBytes(": ready\n\n".utf8))
                streams.withLock { $0[request.path.last ?? ""] = stream }
                return .events(stream)
            case "change":
                // The event has the time at which it was sent, as a commit's time stands for a change.
                let stream = streams.withLock { $0[request.path.last ?? ""] }
                stream?.send(SharedBytes("data: \(Net.now)\n\n".utf8))
                return .now(HTTPResponse(204))
            default:
                return .now(HTTPResponse(200, headers: headers, body: body))
            }
        }
        FileHandle.standardOutput.write(Data("\(server.port)\n\(server.notice.map { "\($0)\n" } ?? "")".utf8))
        while readLine() != nil {}
        server.shutdown()
    }
}

extension PlainServer {
    /// The benchmark's end of it.
    final class Client {
        let server: ServerProcess
        let port: Int
        private let socket: Int32
        private let poller = Poller()
        private var buffer = [UInt8](repeating: 0, count: 4096)

        init() throws {
            server = try ServerProcess("/proc/self/exe", ["plain-server"])
            guard let port = Int(try server.firstLine()) else {
                throw BenchmarkError(description: "the server does not start")
            }
            self.port = port
            socket = try Net.connect(port)
            poller.add(socket, index: 0)
        }

        deinit {
            close(socket)
            server.end()
        }

        /// Asks for an event on a stream.
        func change(_ stream: Int) throws {
            try Net.send(socket, Array("GET /change/\(stream) HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
            poller.wait(1000) { _ in _ = recv(socket, &buffer, buffer.count, 0) }
        }
    }
}
