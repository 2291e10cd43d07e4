import RecordLog
import Settings
import Simulation
import Sinks
import Testing

@testable import tideline

/// What sinks tell of themselves, from one start to the next. No broker.
@Suite struct SinkStatusReportTests {
    private let cluster = MemoryCluster()
    private let environment: Environment

    init() throws {
        let settings = try Keys.schema.resolve(SettingsSources())
        environment = Environment(settings: settings, log: Environment.makeLog(settings), cluster: cluster)
    }

    private var status: SinkStatus { SinkStatus(name: "s", target: "files:out", topic: "timelines", at: .now()) }

    /// Does what one process does.
    private func run(_ body: (SinkStatusReport) throws -> Void) throws {
        let admin = try cluster.makeAdmin()
        let report = SinkStatusReport(environment, admin)
        admin.close()
        defer { report.close() }
        try body(report)
    }

    /// What was told last.
    private func told() throws -> SinkStatus {
        try #require(try environment.sinkStatuses().told["s/files:out"])
    }

    @Test("how far a sink was stays known over starts, also while its target is away, until it says that anew")
    func positions() throws {
        try run { (report: SinkStatusReport) throws -> Void in
            report.begin(status)
            report.note("s", [0: SinkPosition(next: Offset(7))], nil, records: 7, waiting: 0)
            report.end("s", nil)
        }
        let seven = try told().positions
        #expect(seven.map(\.partition) == [0] && seven.map(\.next) == [7])
        try run { (report: SinkStatusReport) throws -> Void in
            report.begin(status)
            #expect(try told().positions == seven)
            let fault = SinkFault(place: "out", operation: "write", reason: "no space")
            report.note("s", .holding(.unavailable(fault), retryIn: .seconds(1)))
            report.note("s", [:], nil, records: 0, waiting: 0)
            report.end("s", "it is away")
            #expect(try told().positions == seven)
            // It begins again in the same process.
            report.begin(status)
            #expect(try told().positions == seven)
            report.note("s", [0: SinkPosition(next: Offset(9))], nil, records: 2, waiting: 0)
            report.end("s", nil)
        }
        #expect(try told().positions.map(\.next) == [9])
    }

    @Test("positions that the target does not know any more are not told")
    func setBack() throws {
        try run { (report: SinkStatusReport) throws -> Void in
            report.begin(status)
            report.note("s", [0: SinkPosition(next: Offset(7))], nil, records: 7, waiting: 0)
            report.note("s", .setBack(SinkFault(place: "out", operation: "go on at", reason: "it is empty")))
            report.end("s", nil)
        }
        #expect(try told().positions.isEmpty)
    }
}
