import Arguments

/// A row of the table of `bench`: what is measured.
enum BenchRow: String, CaseIterable, Sendable {
    case cost = "A"
    case manyTimelines = "B"
    case simulatedDay = "C"
    case latency = "D"
    case restore = "E"
    case start = "F"
    case growth = "G"
    case calendars = "H"
    case threads = "I"
    case metrics = "J"

    /// What the row measures, in a few words.
    var title: String {
        switch self {
        case .cost: "few timelines"
        case .manyTimelines: "many timelines"
        case .simulatedDay: "a simulated day"
        case .latency: "from a change to its timeline"
        case .restore: "restore"
        case .start: "start"
        case .growth: "growth"
        case .calendars: "calendars"
        case .threads: "stream threads"
        case .metrics: "metrics"
        }
    }
}

/// The rows that a command line names: `A,B,D`.
struct BenchRows: ExpressibleByArgument, Equatable {
    /// In the order of the alphabet, each once.
    let rows: [BenchRow]

    static let all = BenchRows(rows: BenchRow.allCases)

    private init(rows: [BenchRow]) {
        self.rows = rows
    }

    init?(argument: String) {
        var named: Set<BenchRow> = []
        for letter in argument.split(separator: ",", omittingEmptySubsequences: false) {
            guard let row = BenchRow(rawValue: String(letter)) else { return nil }
            named.insert(row)
        }
        self.init(rows: BenchRow.allCases.filter(named.contains))
    }

    var defaultValueDescription: String { rows.map(\.rawValue).joined(separator: ",") }
    static let allowedDescription: String? = "letters from A to J, separated by commas, such as A,B,D"
}
