import Foundation

/// The three measurements, the same for the HTTP server alone and for `tideline serve`.
struct Measurements {
    var port: Int
    /// Has a response of about 1 KB.
    var target: String
    /// The stream of the client of that number, which carries the events of its own change.
    var stream: (Int) -> String
    /// Makes a change that is an event on the stream of the client of that number. Returns the time at which it was
    /// committed, or `nil` where the event names the time itself.
    var change: (Int) throws -> Int64?
    var server: ServerProcess

    private var streams: Int { min(10_000, Net.raiseOpenFiles() - 256) }

    func run() throws {
        let before = server.residentMegabytes
        for connections in [1, 16, 64, 256] { try gets(connections, "\(connections) connections") }
        let clients = StreamLoad()
        try clients.open(streams, port: port, target: stream)
        try clients.drain(seconds: 2)
        say(
            """
            \(clients.count) idle streams: \(text(server.residentMegabytes)) MB resident, \(text(before)) MB before
            """)
        let durations = try changes(clients, count: 1000, perSecond: 50)
        say(
            """
            change to event with \(clients.count) streams open: p50 \(text(durations.quantile(0.5), 2)) ms, \
            p99 \(text(durations.quantile(0.99), 2)) ms, of \(durations.count) changes at 50 a second
            """)
        try gets(64, "64 connections beside \(clients.count) streams")
        say("closed streams: \(clients.closed); server: \(text(server.residentMegabytes)) MB resident")
    }

    private func text(_ value: Double, _ digits: Int = 0) -> String { String(format: "%.\(digits)f", value) }

    private func gets(_ connections: Int, _ name: String) throws {
        let figures = try GetLoad(port: port, target: target, connections: connections, seconds: 5).run()
        say(
            """
            \(name): \(text(figures.requestsPerSecond)) GET/s of \(figures.bodyBytes) bytes, \
            p50 \(text(figures.latencies.quantile(0.5), 2)) ms, p99 \(text(figures.latencies.quantile(0.99), 2)) ms
            """)
    }

    /// The times from each change to its event. Throws where an event does not come.
    private func changes(_ clients: StreamLoad, count: Int, perSecond: Double) throws -> Durations {
        var durations: [Int64] = []
        let start = Net.now
        for number in 0..<count {
            let due = start + Int64(Double(number) / perSecond * 1_000_000_000)
            while Net.now < due { try clients.read(1) { _, _ in } }
            let client = (number * 7919) % clients.count
            var committed = try change(client)
            var received: Int64?
            let end = Net.now + 10_000_000_000
            while received == nil {
                guard Net.now < end else { throw BenchmarkError(description: "no event for ten seconds") }
                try clients.read(100) { index, bytes in
                    let now = Net.now
                    let event = String(decoding: bytes, as: UTF8.self)
                    guard index == client, let data = event.range(of: "data: ") else { return }
                    committed = committed ?? Int64(event[data.upperBound...].prefix { $0.isNumber })
                    received = now
                }
            }
            if let committed, let received { durations.append(received - committed) }
        }
        return Durations(durations)
    }
}

/// Prints a line at once: the next one may be a while.
func say(_ line: String) {
    print(line)
    fflush(nil)
}
