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
