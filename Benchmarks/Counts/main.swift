// What the pipeline computes and allocates for a record of telemetry, and for a change that makes a timeline.
//
// `Scripts/measure-counts` runs it under callgrind several times, each with other numbers of records: what a record
// costs is the difference, free of what the start costs. So everything that is drawn is drawn in each run, used or not.
//
//     counts-benchmark RECORDS CHANGES    at most 60000 and 3000
import CountedPipelines
import Foundation

let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
guard numbers.count == 2, (0...CountedFleet.reportsMax).contains(numbers[0]),
    (0...CountedFleet.changesMax).contains(numbers[1])
else {
    print("counts-benchmark: two numbers: records of telemetry without news, and changes of status")
    exit(64)
}
let fleet = CountedFleet()
let pipeline = CountedPipeline()
pipeline.run(fleet.configurations[...], in: 1000)
pipeline.run(fleet.firstReports[...], in: 1000)
let before = pipeline.timelines
// A backlog is read in transactions of many records of each vehicle, changes come in small ones.
pipeline.run(fleet.reports.prefix(numbers[0]), in: 20_000)
let unasked = pipeline.timelines - before
pipeline.run(fleet.changes.prefix(numbers[1]), in: 20)
let made = pipeline.timelines - before - unasked
print("records=\(numbers[0]) changes=\(numbers[1]) timelines=\(made) unasked=\(unasked) state=\(pipeline.stateBytes)")
exit(unasked == 0 && made == numbers[1] ? 0 : 1)
