/// Something that `bench` measures: a line of a row, with what it is to be.
struct BenchQuantity: Hashable, Sendable {
    let row: BenchRow
    /// The name in JSON; no other quantity of the row has it.
    let name: String
    /// The name for people, with the unit.
    let title: String
    /// So many digits stand after the point in the table.
    let decimals: Int
    var goals: [BenchGoal] = []
    /// False if the amount of data is always the same.
    var isScaled = true
}

/// What a quantity of the pipeline is to be, beside what another subject measures in the same run.
enum BenchGoal: Hashable, Sendable {
    case atMost(Double, times: BenchReference)
    case atLeast(Double, times: BenchReference)
    /// Below a number.
    case below(Double)

    var text: String {
        switch self {
        case .atMost(let factor, _): "at most \(factor.shortest) ×"
        case .atLeast(let factor, _): "at least \(factor.shortest) ×"
        case .below(let limit): "below \(limit.shortest)"
        }
    }

    /// The subject that the pipeline is measured against; `nil` for a goal that is a number.
    var reference: BenchReference? {
        switch self {
        case .atMost(_, let reference), .atLeast(_, let reference): reference
        case .below: nil
        }
    }

    /// - Parameter value: the ratio to the reference, or the quantity itself where there is none.
    func isMet(by value: Double) -> Bool {
        switch self {
        case .atMost(let factor, _): value <= factor
        case .atLeast(let factor, _): value >= factor
        case .below(let limit): value < limit
        }
    }
}

/// A subject that goals name.
enum BenchReference: Hashable, Sendable {
    case subject(String)
    /// The first program of `--beside`.
    case firstBeside
}

/// The names of those that are measured, beside the programs of `--beside`.
enum BenchSubject {
    static let pipeline = "tideline"
    static let floor = "floor"
    static let transaction = "bare transaction"
    static let fewVehicles = "few vehicles"
    static let oneThread = "one thread"
    static let withoutMetrics = "without metrics"

    static let all = [pipeline, floor, transaction, fewVehicles, oneThread, withoutMetrics]
}

extension BenchQuantity {
    private static let floor = BenchReference.subject(BenchSubject.floor)
    private static let transaction = BenchReference.subject(BenchSubject.transaction)

    static let cost = BenchQuantity(
        row: .cost, name: "cpuSecondsPerMillion", title: "CPU-s per million records", decimals: 2,
        goals: [.atMost(1.25, times: floor), .atMost(0.65, times: .firstBeside)])
    static let rate = BenchQuantity(
        row: .cost, name: "recordsPerSecond", title: "records/s", decimals: 0,
        goals: [.atLeast(1.2, times: .firstBeside)])
    static let memory = BenchQuantity(
        row: .cost, name: "peakMegabytes", title: "peak memory, MB", decimals: 0,
        goals: [.atMost(0.6, times: .firstBeside)])
    static let manyCost = BenchQuantity(
        row: .manyTimelines, name: "cpuSeconds", title: "CPU-s", decimals: 1,
        goals: [.atMost(1, times: .firstBeside)])
    static let manyWall = BenchQuantity(
        row: .manyTimelines, name: "wallSeconds", title: "wall time, s", decimals: 1,
        goals: [.atMost(2, times: .firstBeside)])
    static let manyMemory = BenchQuantity(
        row: .manyTimelines, name: "peakMegabytes", title: "peak memory, MB", decimals: 0,
        goals: [.atMost(1.2, times: .firstBeside)])
    /// Tells whether those beside the pipeline did the same work: one may leave before it has.
    static let manyPublished = BenchQuantity(
        row: .manyTimelines, name: "timelines", title: "timelines, thousands", decimals: 1)
    static let median = BenchQuantity(
        row: .latency, name: "p50Milliseconds", title: "change to timeline, p50, ms", decimals: 1,
        goals: [.atMost(2, times: transaction)])
    static let slowest = BenchQuantity(
        row: .latency, name: "p99Milliseconds", title: "change to timeline, p99, ms", decimals: 1,
        goals: [.atMost(5, times: transaction)])
    static let latencyCost = BenchQuantity(
        row: .latency, name: "cpuSeconds", title: "CPU-s meanwhile", decimals: 2,
        goals: [.atMost(2, times: .firstBeside)])
    static let restoreRate = BenchQuantity(
        row: .restore, name: "recordsPerSecond", title: "records/s of the changelog", decimals: 0,
        goals: [.atLeast(1, times: .firstBeside)])
    static let restoreTime = BenchQuantity(
        row: .restore, name: "seconds", title: "time, s", decimals: 2, goals: [.below(10)])
    static let start = BenchQuantity(
        row: .start, name: "seconds", title: "start to first timeline, s", decimals: 2, goals: [.below(1)],
        isScaled: false)
    static let growth = BenchQuantity(
        row: .growth, name: "cpuSecondsPerMillion", title: "CPU-s per million, a hundred times the vehicles",
        decimals: 2, goals: [.atMost(1.25, times: .subject(BenchSubject.fewVehicles))])
    static let calendarTime = BenchQuantity(
        row: .calendars, name: "wallSeconds", title: "events to all timelines, s", decimals: 1,
        goals: [.below(20)])
    static let calendarCost = BenchQuantity(row: .calendars, name: "cpuSeconds", title: "CPU-s", decimals: 1)
    static let threadCost = BenchQuantity(
        row: .threads, name: "cpuSecondsPerMillion", title: "CPU-s per million, two stream threads", decimals: 2,
        goals: [.atMost(1.1, times: .subject(BenchSubject.oneThread))])
    static let threadRate = BenchQuantity(
        row: .threads, name: "recordsPerSecond", title: "records/s, two stream threads", decimals: 0)
    static let metricsCost = BenchQuantity(
        row: .metrics, name: "cpuSecondsPerMillion", title: "CPU-s per million, metrics read each second",
        decimals: 3, goals: [.atMost(1.01, times: .subject(BenchSubject.withoutMetrics))])

    /// All quantities, in the order of the table.
    static let all = [
        cost, rate, memory, manyCost, manyWall, manyMemory, manyPublished, median, slowest, latencyCost, restoreRate,
        restoreTime, start, growth, calendarTime, calendarCost, threadCost, threadRate, metricsCost,
    ]
}

extension Double {
    /// The number without a fraction that is zero: `2`, `1.25`.
    fileprivate var shortest: String {
        self == rounded() ? String(Int(self)) : String(self)
    }
}
