// What a million pending timers of a task take in memory, and what it costs to change them.
//
// Run it with `make benchmark`. Memory is what the process takes more than before: when all are armed, and at its peak,
// with copies while growing, after each was armed again about five times. Times are the best of five rounds, so that
// other work on the machine counts as little as it can. It ends with status 1 where a timer takes 100 bytes or more.

import Foundation
import SimulatedDays
import StreamCore

func text(_ number: Double) -> String { String(format: "%.1f", number) }

var bench = TimersBench(count: 1_000_000)
let before = try MemoryUse.now()
bench.fill()
let filled = try MemoryUse.now()
bench.rearm(rounds: 5)
let rearmed = try MemoryUse.now()
precondition(bench.timers.count == bench.count, "Who is armed again has one timer.")

let resident = Double(filled.resident - before.resident) / Double(bench.count)
let peak = Double(rearmed.peakResident - before.resident) / Double(bench.count)
print("\(bench.count) pending timers: \(text(resident)) bytes each, \(text(peak)) at the peak")
print(
    "arm \(text(bench.arming())) ns, arm again \(text(bench.rearming())) ns, pop \(text(bench.popping())) ns, "
        + "look where nothing is due \(text(bench.idling())) ns")
exit(resident < 100 && peak < 100 ? 0 : 1)
