// PipelineTests: the whole widgets topology through stream threads, on a log in memory and on a real broker.
//
// Time is injected on both: a test puts records in, moves the clock, settles, and looks at what was published. Each
// sentence is a line of the contract (Documentation/Rules). What holds for every record that the pipeline writes,
// whatever the test, is in `Rules`, which the fixture checks each time it settles.

import Testing

/// All tests of this target, one after the other: each of those on the broker has threads of its own.
@Suite(.serialized)
enum PipelineTests {}

/// What the pipeline runs on.
enum Ground: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, broker

    var testDescription: String { rawValue }
}
