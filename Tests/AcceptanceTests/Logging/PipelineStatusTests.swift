import Observability
import RecordLog
import StreamRuntime
import Testing

@testable import tideline

/// The status of `process` as a line and as numbers, and when it is told. No broker.
@Suite struct PipelineStatusTests {
    private static let busy = {
        var status = PipelineStatus()
        status.tasks =
            (0..<5).map { .init(partition: $0, state: .running) } + [
                .init(partition: 5, state: .restoring(next: 300, end: 1000)),
                .init(partition: 6, state: .restoring(next: 110, end: 0)), .init(partition: 7, state: .created),
            ]
        status.tasks[6].state = .restoring(next: 110, end: 200)
        status.lag = [
            .init(topic: "vehicle.telemetry", records: 12_000, time: .seconds(3)),
            .init(topic: "tideline.exchange", records: 345, time: .zero),
            .init(topic: "calendar.events", records: 0, time: .zero),
        ]
        status.records = 1_234_567
        status.recordsPerSecond = 2040.4
        status.lastCommitAge = .milliseconds(384)
        status.aborts = 1
        status.deadLetters = 2
        status.changes = [.init(name: "seen", count: 40), .init(name: "sent", count: 12)]
        return status
    }()

    @Test("the line says tasks, lag, rate, commit, aborts and dead letters")
    func line() {
        #expect(
            Self.busy.line()
                == "tasks 5 running, 2 restoring 34 %, 1 waiting · "
                + "lag 12,345, 3.0 s (vehicle.telemetry 12,000, tideline.exchange 345) · 2,040/s · "
                + "committed 0.4 s ago · 1 abort · 2 dead letters · 1,234,567 records · 40 seen · 12 sent")
        #expect(PipelineStatus().line() == "no tasks · nothing committed · 0 records")
        var away = Self.busy
        away.lag = nil
        away.away = .seconds(75)
        #expect(
            away.line().hasPrefix("tasks 5 running, 2 restoring 34 %, 1 waiting · broker away for 75 s · lag unknown"))
    }

    /// Restoring as fast as the tasks say, half of it each.
    private static func restoring(at rate: Double) -> PipelineStatus {
        var status = busy
        for index in 5...6 { status.tasks[index].restoreRate = rate / 2 }
        return status
    }

    @Test("a restore says how far it is and how many changelog records all tasks together read each second")
    func restoreRate() {
        #expect(
            Self.restoring(at: 81_234.4).line().hasPrefix(
                "tasks 5 running, 2 restoring 34 % (81,234/s), 1 waiting · lag 12,345"))
        #expect(Self.restoring(at: 0.5).line().contains("2 restoring 34 % (0.5/s), "))
        var one = Self.restoring(at: 3000)
        one.tasks[6].restoreRate = nil
        #expect(one.line().contains("34 % (1,500/s)"), "of one task the rate is not known yet")
        #expect(one.metadata["restoredPerSecond"] == .number(1500.0))
        #expect(Self.busy.metadata["restoredPerSecond"] == nil)
    }

    @Test("it fits every width: what matters least is shortened, then left out with an ellipsis")
    func widths() {
        for columns in 0...250 {
            #expect(Self.busy.line(columns: columns).count <= columns)
        }
        #expect(
            Self.busy.line(columns: 79)
                == "tasks 5 running, 2 restoring 34 %, 1 waiting · lag 12,345, 3.0 s · 1 abort · …")
        #expect(Self.busy.line(columns: 45).hasPrefix("tasks 5 running, 2 restoring 34 %, 1 waiting"))
        #expect(Self.busy.line(columns: 20) == "tasks 5 running, 2 …")
        #expect(Self.busy.line(columns: 100).contains("…"))
        #expect(!Self.busy.line(columns: 250).contains("…"))
        let restoring = Self.restoring(at: 81_234)
        #expect(
            restoring.line(columns: 110)
                == "tasks 5 running, 2 restoring 34 % (81,234/s), 1 waiting · lag 12,345, 3.0 s · 1 abort · "
                + "2 dead letters · …", "the restore's rate stays longer than that of records")
        #expect(restoring.line(columns: 79) == Self.busy.line(columns: 79), "problems go before the rate")
    }

    @Test("for machines all of it is numbers with units in their names")
    func metadata() {
        let metadata = Self.busy.metadata
        #expect(metadata["tasks"] == ["running": .number(5), "restoring": .number(2), "waiting": .number(1)])
        #expect(metadata["restoredPercent"] == .number(34))
        #expect(
            metadata["restoring"] == [
                "5": ["next": .number(300), "end": .number(1000)], "6": ["next": .number(110), "end": .number(200)],
            ])
        #expect(
            metadata["lag"] == [
                "vehicle.telemetry": .number(12_000), "tideline.exchange": .number(345), "calendar.events": .number(0),
            ])
        #expect(
            metadata["lagMs"] == [
                "vehicle.telemetry": .number(3000), "tideline.exchange": .number(0), "calendar.events": .number(0),
            ])
        #expect(metadata["lastCommitAgeMs"] == .number(384))
        #expect(metadata["changes"] == ["seen": .number(40), "sent": .number(12)])
        for value in metadata.values {
            if case .string = value { Issue.record("\(value) is a text") }
        }
    }

    @Test("it is told when something changed, while a restore advances each ten seconds, and else once a minute")
    func schedule() {
        var schedule = StatusSchedule()
        var told: [Int] = []
        var status = PipelineStatus()
        for second in 0..<200 {
            status.records += 100
            status.lag = [.init(topic: "t", records: Int64(second), time: nil)]
            status.lastCommitAge = .milliseconds(second)
            switch second {
            case 5: status.tasks = [.init(partition: 0, state: .restoring(next: 0, end: 1000))]
            case 6...30:
                status.tasks = [.init(partition: 0, state: .restoring(next: Offset(Int64(second) * 10), end: 1000))]
            case 31: status.tasks = [.init(partition: 0, state: .running)]
            case 35: status.deadLetters += 1
            case 150...: status.deadLetters += 1
            default: break
            }
            if schedule.isDue(status, now: .seconds(second)) { told.append(second) }
        }
        #expect(told == [0, 5, 15, 25, 31, 41, 101, 150, 160, 170, 180, 190])
    }
}
