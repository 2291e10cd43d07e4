import Foundation

/// Changes at a steady rate, each of which is an event on one of many streams.
struct Changes {
    var port: Int
    var streams: StreamLoad
    var count: Int
    var perSecond: Double

    /// The times from each change to its event. Throws where an event does not come.
    func run() throws -> Durations {
        let socket = try Net.connect(port)
        defer { close(socket) }
        let poller = Poller()
        poller.add(socket, index: 0)
        var durations: [Int64] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        let start = Net.now
        for change in 0..<count {
            let due = start + Int64(Double(change) / perSecond * 1_000_000_000)
            while Net.now < due { usleep(200) }
            let stream = (change * 7919) % streams.count
            try Net.send(socket, Array("GET /change/\(stream) HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
            let end = Net.now + 5_000_000_000
            while durations.count <= change {
                guard Net.now < end else { throw BenchmarkError(description: "no event for five seconds") }
                try streams.read(100) { index, bytes in
                    let now = Net.now
                    let text = String(decoding: bytes, as: UTF8.self)
                    guard index == stream, let data = text.range(of: "data: ") else { return }
                    guard let sent = Int64(text[data.upperBound...].prefix { $0.isNumber }) else { return }
                    durations.append(now - sent)
                }
            }
            poller.wait(100) { _ in _ = recv(socket, &buffer, buffer.count, 0) }
        }
        return Durations(durations)
    }
}
