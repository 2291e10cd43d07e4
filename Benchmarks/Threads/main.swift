// What a second stream thread adds where no broker takes its share of the cores: tasks of the pipeline in memory, one on
// one thread, then one on each of two.
//
// Run it with `make benchmark-threads`. Every task has all vehicles and widgets of a fleet of its own, and reads the
// same records; decoding, state, changelog and outputs are in it, Kafka is not. A ratio is the median of the rounds'
// ratios, for a machine's speed drifts from round to round. It ends with status 1 where two threads together are less
// than 1.7 times as fast as one.

import CountedPipelines
import Foundation

/// The seconds that so many threads take, each for a backlog of its own.
func seconds(threads: Int, _ fleet: CountedFleet) -> Double {
    let pipelines = (0..<threads).map { _ in CountedPipeline() }
    for pipeline in pipelines {
        pipeline.run(fleet.configurations[...], in: 1000)
        pipeline.run(fleet.firstReports[...], in: 1000)
    }
    nonisolated(unsafe) let ready = pipelines
    let clock = ContinuousClock()
    let begin = clock.now
    DispatchQueue.concurrentPerform(iterations: threads) { index in
        ready[index].run(fleet.reports[...], in: 20_000)
        ready[index].run(fleet.changes[...], in: 1000)
    }
    return (clock.now - begin) / .seconds(1)
}

let fleet = CountedFleet()
let records = fleet.reports.count + fleet.changes.count
var ratios: [Double] = []
var rates: [Double] = []
for round in 1...11 {
    let alone = seconds(threads: 1, fleet)
    let together = seconds(threads: 2, fleet)
    // The first round finds cold memory.
    if round == 1 { continue }
    ratios.append(2 * alone / together)
    rates.append(Double(records) / alone)
}
let (ratio, rate) = (ratios.sorted()[ratios.count / 2], rates.sorted()[rates.count / 2])
print(
    """
    \(records) records a thread: \(Int(rate)) a second on one thread, \(String(format: "%.2f", ratio)) times as many on two \
    (from \(String(format: "%.2f", ratios.min()!)) to \(String(format: "%.2f", ratios.max()!)))
    """)
exit(ratio >= 1.7 ? 0 : 1)
