import Foundation
import Observability
import Synchronization
import Testing

@Suite("Progress bar")
struct ProgressBarTests {
    private let clock = ManualClock()
    private let drawings = Recorded<ProgressBar.Drawing>()

    private func bar(total: Int?, style: ProgressBar.Style) -> ProgressBar {
        ProgressBar("telemetry", unit: "records", total: total, style: style, now: clock.now) { [drawings] in
            drawings.append($0)
        }
    }

    /// The texts of the lines that were written for good.
    private var lines: [String] {
        drawings.elements.compactMap { if case .line(let line) = $0 { line.text } else { nil } }
    }

    @Test("On a terminal: bar, percentage, count, rate and what is left, within the columns")
    func terminal() {
        let bar = bar(total: 2_000_000, style: .terminal(columns: 100))
        clock.advance(by: .seconds(10))
        bar.advance(by: 500_000)
        #expect(
            drawings.elements == [
                .redraw(
                    "telemetry  ███████░░░░░░░░░░░░░░░░░░░░░░░ 25%  "
                        + "500,000 of 2,000,000 records  50,000/s  0:30 left")
            ])
    }

    @Test("The bar shrinks with the terminal and then goes", arguments: [30, 60, 70, 80])
    func narrow(columns: Int) throws {
        let bar = bar(total: 1000, style: .terminal(columns: columns))
        clock.advance(by: .seconds(1))
        bar.advance(by: 999)
        guard case .redraw(let text) = try #require(drawings.elements.first) else {
            Issue.record("A terminal's line is redrawn.")
            return
        }
        #expect(text.count <= columns)
        #expect(text.contains("█") == (columns > 60))
        #expect(text.hasPrefix("telemetry"))
    }

    @Test("It is drawn at most five times a second, however often it is told")
    func drawnRarely() {
        let bar = bar(total: nil, style: .terminal(columns: 80))
        for _ in 0..<1000 {
            clock.advance(by: .milliseconds(1))
            bar.advance()
        }
        #expect(drawings.elements.count == 5)
        #expect(drawings.elements.last == .redraw("telemetry  1,000 records  1,000/s  0:01"))
    }

    @Test("Elsewhere it is a line every few seconds, and a last one with the mean rate")
    func log() {
        let bar = bar(total: 400, style: .log(every: .seconds(5)))
        for _ in 0..<12 {
            clock.advance(by: .seconds(1))
            bar.advance(by: 20)
        }
        bar.finish()
        bar.finish()
        bar.advance(by: 20)
        #expect(
            lines == [
                "telemetry: 25%, 100 of 400 records, 20/s, 0:15 left",
                "telemetry: 50%, 200 of 400 records, 20/s, 0:10 left",
                "telemetry: 240 records in 0:12, 20/s",
            ])
    }

    @Test("The rate follows the last seconds, not the whole past")
    func recentRate() {
        let bar = bar(total: nil, style: .log(every: .seconds(30)))
        for second in 1...60 {
            clock.advance(by: .seconds(1))
            bar.advance(by: second <= 40 ? 1000 : 4)
        }
        #expect(lines.last == "telemetry: 40,080 records, 4.0/s, 1:00")
    }

    @Test("A total that becomes known later, work done again, and nothing to do at all")
    func oddTotals() {
        let bar = bar(total: nil, style: .log(every: .seconds(1)))
        clock.advance(by: .seconds(1))
        bar.update(completed: 50)
        bar.setTotal(100)
        clock.advance(by: .seconds(1))
        bar.update(completed: 20)
        bar.setTotal(0)
        clock.advance(by: .seconds(3661))
        bar.update(completed: 20)
        #expect(
            lines == [
                "telemetry: 50 records, 50/s, 0:01",
                "telemetry: 20%, 20 of 100 records, 0.0/s",
                "telemetry: 100%, 20 of 0 records, 0.0/s",
            ])
    }

    @Test("It shares a terminal with the log, and a log file with the log's format")
    func outputs() {
        let output = Recorded<String>()
        let stream = LogStream { output.append($0) }
        let columns = Mutex<Int?>(81)
        let logger = Logger(
            label: "", handler: StreamLogHandler(label: "", format: .json, stream: stream) { .distantPast })
        func bar(_ format: StreamLogHandler.Format) -> ProgressBar {
            ProgressBar(
                "events", unit: "events", stream: stream, logger: logger, format: format,
                columns: { columns.withLock { $0 } }, now: clock.now)
        }
        let onTerminal = bar(.text)
        clock.advance(by: .seconds(1))
        onTerminal.advance()
        stream.writeLine("a record")
        onTerminal.finish()
        let erase = "\r\u{1B}[K"
        let status = "events  1 events  1.0/s  0:01"
        #expect(
            output.elements == [
                "\(erase)\(status)", "\(erase)a record\n\(status)", erase, "events: 1 events in 0:01, 1.0/s\n",
            ])

        columns.withLock { $0 = nil }
        bar(.text).finish()
        #expect(output.elements.last?.contains(#""message":"events: 0 events in 0:00, 0.0/s""#) == true)
        bar(.json).finish()
        let numbers = #""message":"events","metadata":{"elapsedMs":0,"events":0,"eventsPerSecond":0.0}}"#
        #expect(output.elements.last?.contains(numbers) == true, "\(output.elements)")
    }

    @Test("A job that loses its terminal goes on with lines, and draws again when it has it back")
    func terminalThatGoes() {
        let columns = Mutex<Int?>(41)
        let bar = ProgressBar(
            "telemetry", unit: "records",
            style: columns.withLock { $0.map { ProgressBar.Style.terminal(columns: $0) } }
                ?? .log(every: .seconds(60)), now: clock.now
        ) { [drawings] in drawings.append($0) }
        for second in 1...180 {
            columns.withLock { $0 = (20...150).contains(second) ? nil : 41 }
            clock.advance(by: .seconds(1))
            bar.advance(by: 10)
        }
        #expect(lines.count == 2, "\(lines)")
        #expect(drawings.elements.count == 19 + 2 + 30)
    }

    @Test("With a total there is a line at each tenth, five seconds apart at least, and numbers for machines")
    func tenths() throws {
        let bar = bar(total: 1000, style: .log(every: .seconds(60)))
        for second in 1...100 {
            clock.advance(by: .seconds(1))
            bar.advance(by: second <= 20 ? 40 : 1)
        }
        #expect(lines.count == 5, "\(lines)")
        guard case .line(let line) = try #require(drawings.elements.first) else {
            Issue.record("A log's line is written for good.")
            return
        }
        #expect(line.title == "telemetry")
        #expect(
            line.metadata == [
                "records": .number(200), "total": .number(1000), "percent": .number(20),
                "recordsPerSecond": .number(40.0), "elapsedMs": .number(5000), "leftMs": .number(20000),
            ])
    }
}
