import Foundation
import Observability
import Settings
import Synchronization
import Testing

@testable import tideline

/// What SIGUSR2 does with settings that have changed. No broker.
@Suite struct SettingsRereadTests {
    private static func settings(_ text: String) throws(CommandFailure) -> Settings {
        do throws(SettingsProblems) {
            let sources = SettingsSources(flags: [], environment: [:], file: .init(path: "t.yaml", text: text))
            return try Keys.schema.resolve(sources)
        } catch {
            throw CommandFailure(.usage, error.description)
        }
    }

    @Test("the level is taken over, other settings are named, and a file with a mistake changes nothing")
    func reread() throws {
        let lines = Mutex<[String]>([])
        let file = Mutex("log.level: info\n")
        let stream = LogStream { line in lines.withLock { $0.append(String(line.dropFirst(25).dropLast())) } }
        let base = StreamLogHandler(label: "t", level: .info, stream: stream) { Date() }
        let handler = SwitchedLogHandler(LogLevels(.info), verbosity: { .asSet }) { _ in base }
        let logger = Logger(label: "t", handler: handler)
        let first = try Self.settings("log.level: info\n")
        let lag = LiveSetting(Keys.healthLag, first)
        let takers: [String: @Sendable (Settings) -> Void] = [
            Keys.logLevel.name: { handler.take($0[Keys.logLevel]) },
            Keys.healthLag.name: { lag.take(from: $0) },
        ]
        let reread = SettingsReread(first, logger, takers: takers) { () throws(CommandFailure) in
            try Self.settings(file.withLock { $0 })
        }
        func said(after text: String) -> [String] {
            lines.withLock { $0.removeAll() }
            file.withLock { $0 = text }
            reread.reread()
            return lines.withLock { $0 }
        }
        #expect(said(after: "log.level: info\n") == ["notice   settings read again: they are those in force"])
        logger.debug("not yet")
        let change = said(after: "log.level: debug\nsession.timeout: PT20S\n")
        #expect(
            change == [
                "notice   settings taken over settings=[log.level]",
                "warning  settings differ that only a new start takes over settings=[session.timeout]",
            ], "\(change)")
        logger.debug("now")
        #expect(lines.withLock { $0.last } == "debug    now")
        let wrong = said(after: "log.level: loud\n")
        #expect(wrong.count == 1 && wrong[0].hasPrefix("error    the settings stay as they are"), "\(wrong)")
        #expect(wrong[0].contains("log.level"))
        #expect(logger.logLevel == .debug)
        // A level that is the same is not set again: SIGUSR1 may have lowered it for a while.
        handler.logLevel = .trace
        let later = said(after: "log.level: debug\nhealth.lag: PT5M\n")
        #expect(later.first == "notice   settings taken over settings=[health.lag]", "\(later)")
        #expect(lag.value == .seconds(300) && logger.logLevel == .trace)
    }
    @Test("each setting that may change while the program runs reaches whoever follows it")
    func live() throws {
        let live = LiveSettings(try Self.settings(""))
        let intervals = LiveValue(live) { $0[Keys.commitInterval] }
        let samplers = LiveValue(live) { $0[Keys.tracingRatio] }
        #expect(intervals.value == 100 && samplers.value == nil)
        live.take(try Self.settings("commit.interval.ms: 250\ntracing.ratio: 0.25\n"))
        #expect(intervals.value == 250 && samplers.value == 0.25)
        let known = Set(Keys.schema.declarations.map(\.name))
        #expect(LiveSettings.names.allSatisfy { known.contains($0) })
    }

    @Test("settings that contradict those that wait for a new start are not taken over")
    func contradiction() throws {
        let lines = Mutex<[String]>([])
        let stream = LogStream { line in lines.withLock { $0.append(String(line.dropFirst(25).dropLast())) } }
        let logger = Logger(label: "t", handler: StreamLogHandler(label: "t", stream: stream) { Date() })
        let first = try Self.settings("")
        let live = LiveSettings(first)
        let reread = SettingsReread(
            first, logger, takers: [Keys.commitInterval.name: { live.take($0) }]
        ) { () throws(CommandFailure) in
            try Self.settings("commit.interval.ms: 20000\ntransaction.timeout: PT60S\n")
        }
        reread.reread()
        #expect(live.current[Keys.commitInterval] == 100)
        let said = lines.withLock { $0 }
        #expect(said.count == 1 && said[0].hasPrefix("error    no setting is taken over"), "\(said)")
        #expect(said[0].contains("commit.interval.ms") && said[0].contains("transaction.timeout"), "\(said)")
    }
}
