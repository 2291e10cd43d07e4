import Foundation
import Observability
import Testing

@testable import tideline

/// How the figures of `bench` are read, reckoned with and shown. No broker.
@Suite struct BenchReportTests {
    @Test("the median is the middle one or the mean of the two in the middle; a quantile is one of the values")
    func statistics() {
        #expect([Double]().median == nil && [Double]().quantile(0.5) == nil)
        #expect([3.0].median == 3)
        #expect([9.0, 1, 5].median == 5)
        #expect([4.0, 1, 3, 2].median == 2.5)
        let hundred = (1...100).map(Double.init).reversed().map(\.self)
        #expect(hundred.quantile(0.5) == 51 && hundred.quantile(0.99) == 99 && hundred.quantile(1) == 100)
    }

    @Test("a ratio is the median of the rounds that have both, not the ratio of the medians")
    func ratios() {
        var tally = BenchTally()
        for (round, (ours, theirs)) in [(1.0, 2.0), (4, 4), (3, 1)].enumerated() {
            tally.add(ours, of: "tideline", to: .cost, round: round)
            tally.add(theirs, of: "go", to: .cost, round: round)
        }
        #expect(tally.ratio(of: .cost, to: "go") == 1)
        #expect(tally.ratio(of: .cost, to: "floor") == nil && tally.ratio(of: .rate, to: "go") == nil)
        tally.add(100, of: "tideline", to: .cost, round: 3)
        tally.add(nil, of: "go", to: .cost, round: 3)
        tally.add(0, of: "go", to: .cost, round: 4)
        tally.add(5, of: "tideline", to: .cost, round: 4)
        tally.add(.nan, of: "go", to: .cost, round: 5)
        #expect(tally.ratio(of: .cost, to: "go") == 1)
        #expect(tally.series(of: .cost).map(\.subject) == ["tideline", "go"])
        #expect(tally.series(of: .cost)[1].inOrder == [2, 4, 1, 0])
    }

    @Test("goals are judged by ratios, numbers at full scale alone, and what was not measured by nobody")
    func goals() throws {
        var report = BenchReport(
            rows: [.cost, .restore, .start], rounds: 1, scale: 1, cores: 2, beside: ["go"], tally: BenchTally())
        for (value, quantity, subject) in [
            (1.0, BenchQuantity.cost, "tideline"), (0.5, .cost, "floor"), (2, .cost, "go"),
            (9, .restoreTime, "tideline"),
            (0.5, .start, "tideline"),
        ] { report.tally.add(value, of: subject, to: quantity, round: 0) }
        func met(_ quantity: BenchQuantity, _ subject: String) throws -> Bool? {
            try #require(report.lines.first { $0.quantity == quantity && $0.subject == subject }).isMet
        }
        #expect(try met(.cost, "floor") == false && met(.cost, "go") == true)
        #expect(try met(.rate, "go") == nil && met(.restoreTime, "tideline") == true)
        report.scale = 0.5
        #expect(try met(.restoreTime, "tideline") == nil && met(.start, "tideline") == true)
        report.beside = []
        #expect(try met(.cost, "--beside") == nil)
    }

    @Test("the table names each quantity once, and says what was not measured")
    func table() {
        var report = BenchReport(
            rows: [.cost, .simulatedDay], rounds: 3, scale: 0.1, cores: 2, beside: [], tally: BenchTally())
        report.tally.add(1.234, of: "tideline", to: .cost, round: 0)
        report.tally.add(1, of: "floor", to: .cost, round: 0)
        let lines = BenchTable(report).lines
        #expect(lines[0].hasPrefix("Medians of 3 rounds, 2 cores, 10.0 % of the full"))
        let cells = lines.map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
        #expect(cells[3] == ["A", "CPU-s per million records", "tideline", "1.23", "", "", ""])
        #expect(cells[4] == ["", "", "floor", "1.00", "1.23 ×", "at most 1.25 ×", "met"])
        #expect(cells[5] == ["", "", "--beside", "–", "", "at most 0.65 ×", "–"])
        #expect(lines.last == "Row C, a simulated day, is `make day`.")
        #expect(Set(lines[1...].prefix { $0.hasPrefix("|") }.map(\.count)).count == 1)
        #expect(report.json.contains(#""of":"floor","values":[1],"median":1,"ratio":1.234,"goal":"at most 1.25 ×""#))
    }

    @Test("figures are those that a program says, else those of the system")
    func figures() {
        var figures = ProgramFigures(usage: .init(cpuSeconds: 3, peakMemory: 5), wallSeconds: 4)
        figures.readWords("nothing of use")
        #expect(figures.cpuSeconds == 3 && figures.records == nil && figures.recordsPerSecond == nil)
        figures.readWords("go records=200 wall_s=2.00 cpu_s=1.5 cpu_s_per_million=7 rss_peak=2kB")
        #expect(figures.cpuSeconds == 1.5 && figures.recordsPerSecond == 100 && figures.peakMemory == 2048)
        figures.readWords("records_per_s=250")
        #expect(figures.recordsPerSecond == 250)
        let restored = "restored partition=0 records=100 seconds=0.5\nrestored partition=1 records=300 seconds=1.50\n"
        let partitions = figures.readRestored(restored)
        #expect(partitions == 2 && figures.restoredPerSecond == 200)
        let isSummary = figures.readSummary("records=5")
        #expect(!isSummary)
        let summary = #"{"records": 10, "wallSeconds": 2, "cpuSeconds": 1.25, "peakMemory": 7, "restoredRecords": 4}"#
        let isRead = figures.readSummary(summary)
        #expect(isRead && figures.recordsPerSecond == 5 && figures.restoredRecords == 4)
    }

    @Test("rows and programs are read from words; places in a command are filled with words of the shell")
    func words() throws {
        #expect(BenchRows(argument: "D,A,D")?.rows == [.cost, .latency])
        #expect(BenchRows(argument: "A,") == nil && BenchRows(argument: "a") == nil)
        #expect(BesideProgram(argument: "go= ") == nil && BesideProgram(argument: "=x") == nil)
        let program = try #require(BesideProgram(argument: "go=run a=1 {bootstrap} {prefix} {application} {else}"))
        #expect(program.name == "go")
        #expect(
            program.line(bootstrap: "h:1,i:2", prefix: "", application: "it's")
                == #"run a=1 h:1,i:2 '' 'it'\''s' {else}"#)
    }

    @Test("a part of the data keeps its shape, and is never nothing")
    func scale() throws {
        let full = try #require(BenchFill(.fillFleet, scale: 1))
        let tenth = try #require(BenchFill(.fillFleet, scale: 0.1))
        #expect(full.vehicles == 10_000 && full.records == 3_000_000 && tenth.vehicles == 1000)
        #expect(full.records / full.vehicles == tenth.records / tenth.vehicles)
        for step in BenchStep.allCases where step != .floor {
            let least = try #require(BenchFill(step, scale: 1e-9))
            #expect(least.configurations > 0 && least.vehicles + least.calendars > 0)
        }
        #expect(BenchFill(.floor, scale: 1) == nil)
    }
}
