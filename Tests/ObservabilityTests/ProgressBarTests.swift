import Foundation
import Observability
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
            drawings.elements == [
                .line("telemetry: 25%, 100 of 400 records, 20/s, 0:15 left"),
                .line("telemetry: 50%, 200 of 400 records, 20/s, 0:10 left"),
                .line("telemetry: 240 records in 0:12, 20/s"),
            ])
    }

    @Test("The rate follows the last seconds, not the whole past")
    func recentRate() {
        let bar = bar(total: nil, style: .log(every: .seconds(30)))
        for second in 1...60 {
            clock.advance(by: .seconds(1))
            bar.advance(by: second <= 40 ? 1000 : 4)
        }
        #expect(drawings.elements.last == .line("telemetry: 40,080 records, 4.0/s, 1:00"))
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
            drawings.elements == [
                .line("telemetry: 50 records, 50/s, 0:01"),
                .line("telemetry: 20%, 20 of 100 records, 0.0/s"),
                .line("telemetry: 100%, 20 of 0 records, 0.0/s"),
            ])
    }

    @Test("It shares a terminal with the log, and a log file with the log's format")
    func outputs() {
        let output = Recorded<String>()
        let stream = LogStream { output.append($0) }
        let onTerminal = ProgressBar("events", unit: "events", terminal: stream, now: clock.now)
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

        let logger = Logger(
            label: "", handler: StreamLogHandler(label: "", format: .json, stream: stream) { .distantPast })
        ProgressBar("events", unit: "events", logger: logger, now: clock.now).finish()
        #expect(output.elements.last?.contains(#""message":"events: 0 events in 0:00, 0.0/s""#) == true)
    }
}
