import Foundation
import Observability
import RecordLog
import Synchronization
import Testing

@testable import tideline

/// The events of stream threads, as lines of the log. No broker.
@Suite struct StreamLogTests {
    private static func lines(_ body: (Logger) -> Void) -> [String] {
        let lines = Mutex<[String]>([])
        let stream = LogStream { line in lines.withLock { $0.append(String(line.dropFirst(25).dropLast())) } }
        body(Logger(label: "t", handler: StreamLogHandler(label: "t", level: .info, stream: stream) { Date() }))
        return lines.withLock { $0 }
    }

    @Test("SIGUSR1 lowers the level to debug, to trace, and brings it back; each change is said once")
    func levels() {
        let lines = Mutex<[String]>([])
        let stream = LogStream { line in lines.withLock { $0.append(String(line.dropFirst(25).dropLast())) } }
        let verbosity = Mutex(Signals.Verbosity.asSet)
        let base = StreamLogHandler(label: "t", level: .info, stream: stream) { Date() }
        let logger = SwitchedLogHandler(LogLevels(.info), verbosity: { verbosity.withLock { $0 } }) { _ in base }
            .logger(for: .runtime)
        for wanted in Signals.Verbosity.allCases + [.asSet] {
            verbosity.withLock { $0 = wanted }
            logger.trace("trace")
            logger.debug("debug")
            logger.info("info")
        }
        func said(_ level: String) -> String { "notice   log level changed by SIGUSR1 level=\(level)" }
        #expect(
            lines.withLock { $0 } == [
                "info     info", said("debug"), "debug    debug", "info     info", said("trace"), "trace    trace",
                "debug    debug", "info     info", said("info"), "info     info",
            ])
    }

    @Test("of many odd records in a second each vehicle is named once: ten in lines of their own, the others together")
    func subjects() {
        let lines = Self.lines { logger in
            let log = DeadLetterLog(logger, "odd record")
            for number in 1...125 {
                log.add(
                    TopicPartition("t", 0), Offset(Int64(number)), reason: "vehicle v\(number) says so",
                    subject: "vehicle v\(number)", now: .milliseconds(number))
            }
            log.flush(now: .milliseconds(500))
            log.flush(now: .seconds(2))
        }
        #expect(lines.count == 10 + 3, "\(lines)")
        let words = lines.flatMap { $0.split { $0 == " " || $0 == "," } }
        for number in 1...125 { #expect(words.count { $0 == "v\(number)" } == 1, "v\(number)") }
        #expect(lines.last?.contains("odd records like those above: vehicle v111, vehicle v112, ") == true, "\(lines)")
    }

    @Test(
        "dead letters above ten a second are a number, said when the second is over, or at the end",
        arguments: [2, nil])
    func withheld(seconds: Int?) {
        let lines = Self.lines { logger in
            let log = DeadLetterLog(logger)
            for number in 1...14 {
                log.add(TopicPartition("t", 0), Offset(Int64(number)), reason: "broken", now: .milliseconds(number))
            }
            log.add(more: 6, now: .milliseconds(20))
            log.flush(now: .milliseconds(30))
            log.flush(now: seconds.map { .seconds($0) })
        }
        #expect(lines.count == 11)
        #expect(lines.last?.contains("and more dead letters") == true && lines.last?.contains("10") == true, "\(lines)")
    }
}
