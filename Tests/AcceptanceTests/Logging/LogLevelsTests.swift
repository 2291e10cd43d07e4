import Foundation
import Observability
import Settings
import Synchronization
import Testing

@testable import tideline

/// Levels of the log by module: what is read, what is refused, and what signals do with them. No broker.
@Suite struct LogLevelsTests {
    @Test(
        "a level for all and others for some modules are read, and written as they were",
        arguments: ["info", "debug,runtime=trace", "warning,runtime=debug,sinks=trace", "error,kafka=critical"])
    func right(text: String) throws {
        #expect(LogLevels(text)?.text == text)
    }

    @Test("modules alone leave all others at info; spaces do not count")
    func modulesAlone() throws {
        let levels = try #require(LogLevels("runtime=debug, sinks = trace"))
        #expect(levels[.runtime] == .debug && levels[.sinks] == .trace && levels[.kafka] == .info)
        #expect(levels.text == "info,runtime=debug,sinks=trace")
    }

    @Test(
        "what is none is refused, with what there is",
        arguments: [
            "", "loud", "info,", "runtime", "info,runtime", "runtime=debug,info", "info,engine=debug",
            "info,runtime=loud", "info,runtime=debug,runtime=trace", "info,debug",
        ])
    func wrong(text: String) throws {
        #expect(LogLevels(text) == nil)
        let source = SettingsSources(flags: [.init(key: "log.level", text: text, flag: "--set")])
        #expect {
            _ = try Keys.schema.resolve(source)
        } throws: { error in
            let said = "\(error)"
            return ["log.level", "runtime, pipeline, kafka, sinks", "trace"].allSatisfy { said.contains($0) }
        }
    }

    @Test("each module has its level; SIGUSR1 lowers them all and brings each back; others are taken over meanwhile")
    func levels() throws {
        let lines = Mutex<[String]>([])
        let stream = LogStream { line in lines.withLock { $0.append(String(line.dropFirst(25).dropLast())) } }
        let verbosity = Mutex(Signals.Verbosity.asSet)
        let log = SwitchedLogHandler(
            try #require(LogLevels("warning,runtime=debug")), verbosity: { verbosity.withLock { $0 } }
        ) { module in
            StreamLogHandler(label: module.rawValue, format: .json, stream: stream) { Date() }
        }
        let (runtime, sinks) = (log.logger(for: .runtime), log.logger(for: .sinks))
        func said() -> [String] {
            lines.withLock { $0.removeAll() }
            for logger in [runtime, sinks] {
                logger.trace("trace")
                logger.debug("debug")
                logger.warning("warning")
            }
            return lines.withLock { lines in
                lines.filter { !$0.contains("SIGUSR1") }.map { line in
                    line.matches(of: /"(?:logger|message)":"([a-z]+)"/).map { String($0.1) }.joined(separator: " ")
                }
            }
        }
        #expect(said() == ["runtime debug", "runtime warning", "sinks warning"])
        verbosity.withLock { $0 = .debug }
        #expect(said() == ["runtime debug", "runtime warning", "sinks debug", "sinks warning"])
        verbosity.withLock { $0 = .trace }
        #expect(said().count == 6)
        verbosity.withLock { $0 = .asSet }
        #expect(said() == ["runtime debug", "runtime warning", "sinks warning"])
        log.take(try #require(LogLevels("error,sinks=debug")))
        #expect(said() == ["sinks debug", "sinks warning"])
    }
}
