// Load on the HTTP server from this machine: GETs per second, the memory of idle event streams, and the time from a
// change to its event. Without arguments it measures the HTTP server alone.

import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "plain-server" {
    try PlainServer.run()
    exit(0)
}

func number(_ value: Double, _ digits: Int = 0) -> String { String(format: "%.\(digits)f", value) }

let openFiles = Net.raiseOpenFiles()
let idle = min(10_000, (openFiles - 256))
print("HTTP server alone, load generator on the same machine, \(ProcessInfo.processInfo.processorCount) processors")
let server = try ServerProcess("/proc/self/exe", ["plain-server"])
guard let port = Int(try server.firstLine()) else { throw BenchmarkError(description: "the server does not start") }
let empty = server.residentMegabytes

for connections in [1, 16, 64, 256] {
    let figures = try GetLoad(port: port, target: "/timeline", connections: connections, seconds: 5).run()
    print(
        """
        \(connections) connections: \(number(figures.requestsPerSecond)) GET/s of \(figures.bodyBytes) bytes, \
        p50 \(number(figures.latencies.quantile(0.5), 2)) ms, p99 \(number(figures.latencies.quantile(0.99), 2)) ms
        """)
}

let streams = StreamLoad()
try streams.open(idle, port: port, target: { "/stream/\($0)" })
try streams.drain(seconds: 2)
print(
    """
    \(streams.count) idle streams: \(number(server.residentMegabytes)) MB resident (\(number(empty)) MB before), \
    \(streams.closed) closed
    """)

let changes = try Changes(port: port, streams: streams, count: 2000, perSecond: 200).run()
print(
    """
    change to event with \(streams.count) streams open: p50 \(number(changes.quantile(0.5), 2)) ms, \
    p99 \(number(changes.quantile(0.99), 2)) ms of \(changes.count) changes
    """)
let figures = try GetLoad(port: port, target: "/timeline", connections: 64, seconds: 5).run()
print("\(number(figures.requestsPerSecond)) GET/s with \(streams.count) streams open")
server.end()
