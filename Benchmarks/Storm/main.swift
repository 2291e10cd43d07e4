// A storm: all that falls due at once after a stop, and all that one change asks for, on a real broker (R17).
//
// Run it with `make storm`, or with the built program, the number of timers and that of subscribers. It starts a broker
// of its own, fills it, lets `tideline process` make every timeline an hour ago, stops it, and starts it anew. Then every timer
// is due. After that an event of a calendar changes, and a vehicle, each with so many subscribers. Meanwhile telemetry of other
// vehicles comes, half of it by way of the exchange. It ends with status 1 if anything was lost or doubled, or aborted.

import FaultInjection
import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
guard let tideline = arguments.first, FileManager.default.isExecutableFile(atPath: tideline) else {
    say("usage: storm-benchmark TIDELINE [TIMERS] [SUBSCRIBERS]")
    exit(64)
}
let numbers = arguments.dropFirst().compactMap { Int($0) }
let plan = StormPlan(
    tideline: URL(filePath: tideline).absoluteURL, timers: numbers.first ?? 1_000_000,
    subscribers: numbers.dropFirst().first ?? 100_000)
// What a run has started ends with the thread that started it.
Thread {
    do {
        let run = try StormRun(plan)
        defer { run.close() }
        exit(try run.run() ? 0 : 1)
    } catch {
        say("the run could not be made: \(error)")
        exit(69)
    }
}.start()
while true { sleep(1000) }
