// How many previews of the default `events` configuration one core makes in a second, with 50 events in its window.
//
// Run it with `make benchmark`. Three figures, each the best of five rounds, so that other work on the machine counts
// as little as it can: the timeline alone, the timeline as JSON, and all of it with the configuration read from JSON.

import Foundation
import Messages
import Timelines

let bench = try PreviewBench(events: 50)
let timelines = bench.rate("timeline") { bench.timeline() }
let written = bench.rate("timeline, written as JSON") { bench.timelineAsJSON() }
let whole = bench.rate("configuration read, timeline, written as JSON") { bench.wholePreview() }

let goal = 10_000
print("goal: \(goal) previews a second on one core: \(whole >= goal ? "met" : "missed")")
exit(whole >= goal ? 0 : 1)
