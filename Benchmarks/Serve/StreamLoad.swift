import Foundation

/// Clients of an event stream: they open, and then read whatever comes.
final class StreamLoad {
    private let poller = Poller()
    private var sockets: [Int32] = []
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    /// The clients whose connection has ended, which none should.
    private(set) var closed = 0

    deinit {
        for socket in sockets { close(socket) }
    }

    var count: Int { sockets.count }

    /// Opens so many streams, and waits for the head of each response.
    func open(_ count: Int, port: Int, target: (Int) -> String, headers: [String] = []) throws {
        let first = sockets.count
        var open = Set<Int>()
        while sockets.count < first + count {
            // In parts, so that the listening socket's queue has room.
            let part = min(256, first + count - sockets.count)
            for _ in 0..<part {
                let index = sockets.count
                let socket = try Net.connect(port)
                sockets.append(socket)
                let lines = ["GET \(target(index)) HTTP/1.1", "Host: localhost", "Accept: text/event-stream"] + headers
                try Net.send(socket, Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
                poller.add(socket, index: index)
            }
            let end = Net.now + 20_000_000_000
            while open.count < sockets.count - first {
                guard Net.now < end else {
                    throw BenchmarkError(description: "only \(open.count) of \(count) streams opened")
                }
                try read(100) { index, bytes in
                    guard bytes.starts(with: "HTTP/1.1 200 ".utf8) || open.contains(index) else {
                        throw BenchmarkError(
                            description: "not 200: \(String(decoding: bytes.prefix(500), as: UTF8.self))")
                    }
                    open.insert(index)
                }
            }
        }
    }

    /// Reads what has come, for so many milliseconds at most.
    func read(_ milliseconds: Int32, _ body: (Int, UnsafeRawBufferPointer) throws -> Void) throws {
        try poller.wait(milliseconds) { index in
            let count = recv(sockets[index], &buffer, buffer.count, 0)
            guard count > 0 else {
                closed += 1
                close(sockets[index])
                sockets[index] = -1
                return
            }
            try buffer.withUnsafeBytes { try body(index, UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }

    /// Reads for so long and forgets what comes.
    func drain(seconds: Double) throws {
        let end = Net.now + Int64(seconds * 1_000_000_000)
        while Net.now < end { try read(50) { _, _ in } }
    }
}
