import Foundation
import Observability
import Sinks
import Synchronization
import Testing

@testable import tideline

/// What the log says of a target that is waited for. No broker.
@Suite struct SinkLogTests {
    private static func lines(_ notices: [SinkNotice]) -> [String] {
        lines { log in
            for notice in notices { log.take(notice, nil) }
        }
    }

    private static func lines(_ body: (SinkLog) -> Void) -> [String] {
        let lines = Mutex<[String]>([])
        let stream = LogStream { line in lines.withLock { $0.append(String(line.dropFirst(25).dropLast())) } }
        let logger = Logger(label: "t", handler: StreamLogHandler(label: "t", level: .info, stream: stream) { Date() })
        body(SinkLog(logger, setting: "sinks.tables.to"))
        return lines.withLock { $0 }
    }

    private static func holding(_ reason: String, isUnknownHost: Bool = false) -> SinkNotice {
        let fault = SinkFault(
            place: "postgres://db", operation: "connect to", reason: reason, isUnknownHost: isUnknownHost)
        return .holding(.unavailable(fault), retryIn: .seconds(1))
    }

    @Test("a host whose name cannot be found is an error with the setting of its address, said once")
    func unknownHost() {
        let unknown = Self.holding("Name or service not known", isUnknownHost: true)
        let lines = Self.lines([unknown, unknown, unknown, .resumed(after: .seconds(9))])
        #expect(lines.count == 2, "\(lines)")
        #expect(lines.first?.hasPrefix("error    cannot connect to postgres://db: the name of the host cannot") == true)
        #expect(lines.first?.contains("; its address is that of sinks.tables.to; trying again") == true, "\(lines)")
    }

    @Test("a host that does not answer is a warning, said once, also after its name could not be found")
    func away() {
        let lines = Self.lines([
            Self.holding("no such name", isUnknownHost: true), Self.holding("refused"), Self.holding("refused"),
        ])
        #expect(lines.map { $0.prefix { $0 != " " } } == ["error", "warning"], "\(lines)")
    }

    @Test("what a further attempt of a sink meets again is told once: that it begins, and the same obstacle")
    func attempts() {
        let lines = Self.lines { log in
            for _ in 0..<3 {
                log.begin("tables", target: "postgres://db")
                log.take(Self.holding("another sink has its lock"), nil)
            }
            log.take(.resumed(after: .seconds(1)), nil)
            log.take(Self.holding("another sink has its lock"), nil)
        }
        #expect(lines.map { $0.prefix { $0 != " " } }.prefix(2) == ["info", "warning"], "\(lines)")
        #expect(lines.filter { $0.contains("sink begins") }.count == 1, "\(lines)")
        #expect(lines.filter { $0.contains("has its lock") }.count == 2 && lines.count == 4, "\(lines)")
    }

    @Test("hosts are read from a list of brokers; the one of this machine is known")
    func hosts() {
        #expect(HostNames(of: "a.example:9092,[::1]:9093,10.0.0.1:1").names == ["a.example", "::1", "10.0.0.1"])
        #expect(HostNames(of: "no-such-host.invalid:9092,127.0.0.1:9092").unknown.isEmpty)
    }
}
