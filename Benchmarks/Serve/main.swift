// Load on the HTTP API from this machine: GETs per second, the memory of idle event streams, and the time from a change
// to its event.
//
//   serve-benchmark              the HTTP server alone, without Tideline
//   serve-benchmark TIDELINE     `tideline serve`, that program, on a broker of its own: from a commit to the event

import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "plain-server" {
    try PlainServer.run()
    exit(0)
}
let processors = ProcessInfo.processInfo.processorCount
if let tideline = arguments.first {
    let live = try LiveServer(tideline: URL(filePath: tideline).path, timelines: 10_000)
    say("tideline serve with 10000 timelines; broker and load generator on the same \(processors) processors")
    try Measurements(
        port: live.port, target: "/v1/timelines/c-1", stream: { "/v1/stream?types=timelines&configurationId=c-\($0)" },
        change: { try live.change($0) }, server: live.server
    ).run()
} else {
    let plain = try PlainServer.Client()
    say("the HTTP server alone; load generator on the same \(processors) processors")
    try Measurements(
        port: plain.port, target: "/timeline", stream: { "/stream/\($0)" },
        change: {
            try plain.change($0)
            return nil
        }, server: plain.server
    ).run()
}
