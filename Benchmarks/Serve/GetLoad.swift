import Foundation

/// GETs of one target over some connections, each with one request under way at a time: no pipelining.
struct GetLoad {
    var port: Int
    var target: String
    var headers: [String] = []
    var connections = 64
    var seconds = 10.0

    struct Figures {
        var requestsPerSecond: Double
        var bodyBytes: Int
        var latencies: Durations
    }

    func run() throws -> Figures {
        let lines = ["GET \(target) HTTP/1.1", "Host: localhost"] + headers
        let request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        let poller = Poller()
        let sockets = try (0..<connections).map { _ in try Net.connect(port) }
        defer { for socket in sockets { close(socket) } }
        let (responseBytes, bodyBytes) = try first(sockets[0], request)
        for (index, socket) in sockets.enumerated() { poller.add(socket, index: index) }

        var received = [Int](repeating: 0, count: connections)
        var sent = [Int64](repeating: 0, count: connections)
        var latencies: [Int64] = []
        latencies.reserveCapacity(1 << 20)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let warm = Net.now + 1_000_000_000
        let end = warm + Int64(seconds * 1_000_000_000)
        for index in 0..<connections {
            sent[index] = Net.now
            try Net.send(sockets[index], request)
        }
        while Net.now < end {
            try poller.wait(100) { index in
                let count = recv(sockets[index], &buffer, buffer.count, 0)
                guard count > 0 else { throw BenchmarkError(description: "the server has closed a connection") }
                // "HTTP/1.1 200": the tenth byte on is the status.
                if received[index] == 0, count > 12, buffer[9] != UInt8(ascii: "2") {
                    throw BenchmarkError(description: "not 200: \(String(decoding: buffer[..<count], as: UTF8.self))")
                }
                received[index] += count
                guard received[index] >= responseBytes else { return }
                guard received[index] == responseBytes else {
                    throw BenchmarkError(description: "a response of other length than the first")
                }
                let now = Net.now
                if now >= warm { latencies.append(now - sent[index]) }
                received[index] = 0
                sent[index] = now
                try Net.send(sockets[index], request)
            }
        }
        let duration = Double(Net.now - warm) / 1_000_000_000
        return Figures(
            requestsPerSecond: Double(latencies.count) / duration, bodyBytes: bodyBytes,
            latencies: Durations(latencies))
    }

    /// The first response tells how long each one is.
    private func first(_ socket: Int32, _ request: [UInt8]) throws -> (response: Int, body: Int) {
        try Net.send(socket, request)
        let poller = Poller()
        poller.add(socket, index: 0)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let end = Net.now + 10_000_000_000
        while Net.now < end {
            try poller.wait(1000) { _ in
                let count = recv(socket, &buffer, buffer.count, 0)
                guard count > 0 else { throw BenchmarkError(description: "the server has closed the connection") }
                bytes += buffer[..<count]
            }
            let text = String(decoding: bytes, as: UTF8.self)
            guard let head = text.range(of: "\r\n\r\n") else { continue }
            guard text.hasPrefix("HTTP/1.1 200 ") else { throw BenchmarkError(description: "not 200: \(text)") }
            let length = text[..<head.lowerBound].split(separator: "\r\n").lazy
                .compactMap { line -> Int? in
                    let parts = line.split(separator: ":")
                    return parts[0].lowercased() == "content-length" ? Int(parts[1].drop { $0 == " " }) : nil
                }.first
            guard let length else { throw BenchmarkError(description: "a response without Content-Length") }
            let whole = text[..<head.upperBound].utf8.count + length
            if bytes.count == whole { return (whole, length) }
        }
        throw BenchmarkError(description: "no response for ten seconds")
    }
}
