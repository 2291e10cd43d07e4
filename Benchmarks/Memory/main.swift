// What is held after ten million ids have come and gone: memory and slots, before and after (R19).
//
// Run it with `make memory`, or with the number of ids, and those of each kind in a wave. Beside the waves some ids
// stay. Memory before is that after five waves and 31 days: what goes is kept for 30 days, three waves long, so by then
// the process is as large as such waves make it. Memory after is that after all others, and 31 days. Both are taken
// twice: as it is, and after mimalloc has given back what is free, for it keeps free pages for a while, more at one time
// than at another. It ends with status 1 if the latter two differ by more than 10 %, or if a slot is held that was not
// held before.
import Foundation
import RecordLog
import SimulatedDays

let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let count = arguments.first ?? 10_000_000
let size = arguments.dropFirst().first ?? 20_000
var waves = IdWaves(size: size, permanent: 2_500)

/// mimalloc's `mi_collect`.
let giveBack = dlsym(nil, "mi_collect").map { unsafeBitCast($0, to: (@convention(c) (Bool) -> Void).self) }

/// At once, also where it goes to a file: a run takes many minutes.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// Memory and slots after 31 days, when all that has gone may be forgotten.
@MainActor
func look(_ when: String) throws -> (resident: Int, keys: Int, slots: Int) {
    waves.pass(.hours(31 * 24))
    let whole = try MemoryUse.now()
    giveBack?(true)
    let memory = try MemoryUse.now()
    let (keys, slots) = waves.slots
    say(
        """
        \(when) \(waves.ids) ids: \(memory.resident >> 20) MiB resident, \(whole.resident >> 20) MiB with free pages, \
        \(memory.peakResident >> 20) MiB at the peak, \(keys) keys in \(slots) slots, at \(waves.now.rfc3339)
        """)
    return (memory.resident, keys, slots)
}

for _ in 0..<5 { waves.run() }
let before = try look("before:")
let began = waves.ids
var told = 0
while waves.ids - began < count {
    waves.run()
    let tenth = (waves.ids - began) * 10 / count
    if tenth > told { say("  \(waves.ids - began) ids, \(try MemoryUse.now().resident >> 20) MiB resident") }
    told = tenth
}
let after = try look("after:")
let ratio = Double(after.resident) / Double(before.resident)
let isWithin = (0.9...1.1).contains(ratio) && after.keys <= before.keys && after.slots <= before.slots
let verdict = isWithin ? "as it should be" : "NOT as it should be"
say("\(count) ids came and went: memory is \(String(format: "%.3f", ratio)) of that before, \(verdict)")
exit(isWithin ? 0 : 1)
