import Arguments
import Foundation
import Messages
import Observability
import Producers
import RdKafka
import RecordLog
import Settings
import Sinks
import StreamRuntime
import Synchronization
import Timelines

/// Runs producers, pipeline and sink in one process.
struct DemoCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Runs everything in one process, on an embedded broker.",
        discussion: """
            A small fleet, calendars, the pipeline and a file sink. On a terminal the timelines are shown as the cards \
            of a board, elsewhere as lines. The broker is librdkafka's mock cluster: it \
            takes the same transactional calls as Kafka does, but promises nothing. Needs no network and no Kafka.
            """,
        examples: [
            CommandExample("tideline demo", "Until Ctrl-C."),
            CommandExample("tideline demo --seconds 20 --output out", "Twenty seconds; look at out/ afterwards."),
        ])

    @Option(help: ArgumentHelp("End after so many seconds.", valueName: "n")) var seconds: Int?
    @Option(help: ArgumentHelp("Where the timelines are written.", valueName: "dir"), completion: .directory)
    var output = "demo-timelines"
    @Option(help: ArgumentHelp("How many vehicles drive around.", valueName: "n")) var fleet = 12

    func validate() throws(ValidationError) {
        if let seconds, !(1...86400).contains(seconds) { throw ValidationError("'--seconds' must be from 1 to 86400.") }
        guard (1...1000).contains(fleet) else { throw ValidationError("'--fleet' must be from 1 to 1000.") }
    }

    func execute() throws(CommandFailure) {
        let settings = try KafkaOptions.defaults(log: .warning)
        var mock = RdKafkaSettings(bootstrapServers: "", properties: [:], log: nil)
        mock.properties = ["transaction.timeout.ms": "10000"]
        let cluster: MockCluster
        do throws(LogError) {
            cluster = try MockCluster(brokers: 1, settings: mock)
        } catch {
            throw CommandFailure(.software, "the embedded broker does not start: \(error)")
        }
        let environment = Environment(settings: settings, log: Environment.makeLog(settings), cluster: cluster)
        // Whole seconds read better.
        let now = Instant(milliseconds: WallClock.systemTime().milliseconds / 1000 * 1000)
        let demo = Demo(environment, DemoScenario(fleet: fleet, now: now), output: output)
        try demo.run(seconds: seconds)
    }
}

extension KafkaOptions {
    fileprivate static func defaults(log level: Logger.Level) throws(CommandFailure) -> Settings {
        let sources = SettingsSources(flags: [
            .init(key: Keys.logLevel.name, text: level.rawValue, flag: "demo"),
            .init(key: Keys.kinds.name, text: DemoScenario.kinds, flag: "demo"),
            // Its fleet's hours pass faster than ours.
            .init(key: Keys.telemetryFuture.name, text: "off", flag: "demo"),
        ])
        do throws(SettingsProblems) {
            return try Keys.schema.resolve(sources)
        } catch {
            throw CommandFailure(.software, error.description)
        }
    }
}

/// The demo's parts, each on a thread of its own, started in the order that the mock cluster needs: sinks before
/// producers (R13).
final class Demo {
    private let environment: Environment
    private let scenario: DemoScenario
    private let output: String
    private let parts = DispatchGroup()
    private let phase = DemoPhase()

    init(_ environment: Environment, _ scenario: DemoScenario, output: String) {
        self.environment = environment
        self.scenario = scenario
        self.output = output
    }

    func run(seconds: Int?) throws(CommandFailure) {
        let admin = try environment.connect()
        do throws(LogError) {
            let plan = TopicPlan(topics: environment.topics, partitions: 2, replication: 1)
            _ = try plan.carryOut(with: admin)
        } catch {
            throw CommandFailure(.software, "the embedded broker makes no topics: \(error)")
        }
        try removeOldTimelines()
        let screen = try DemoScreen(environment, fleet: scenario.fleet)
        screen.welcome(output: output, seconds: seconds)
        screen.show(environment.settings[Keys.kinds])
        screen.openBoard(output: output)
        defer { screen.close() }
        start("sink") { [environment, output, phase] () throws(CommandFailure) in
            let target = SinkTarget.files(directory: output)
            let sink = SinkDeclaration(.kept(target), address: "files:\(output)")
            do throws(SinkFailure) {
                _ = try SinkRun(environment, sink, target, untilCaughtUp: false).run(until: { phase.isSinkDone })
            } catch {
                throw error.command
            }
        }

        start("pipeline") { [environment, phase] () throws(CommandFailure) in
            var options = PipelineRun.Options()
            options.removesConsumedRecords = false
            options.reportsStatus = false
            let pipeline = try PipelineRun(environment, try environment.connect(), options)
            phase.finish(try pipeline.run(until: { phase.isPipelineDone }))
        }
        start("producers") { [environment, scenario, phase] () throws(CommandFailure) in
            try scenario.publish(to: environment) { phase.isProducingDone }
        }

        let end = seconds.map { WallClock.uptime() + .seconds($0) }
        while !Signals.isStopRequested && phase.failure == nil {
            if let end, WallClock.uptime() >= end { break }
            screen.show(for: .milliseconds(250))
        }
        // The parts end in the direction of the flow, so that the record that was published last still arrives.
        phase.endProducing()
        screen.show(for: .seconds(1))
        phase.endPipeline()
        screen.show(for: .seconds(1))
        phase.endSink()
        while parts.wait(timeout: .now() + .milliseconds(100)) != .success { screen.show(for: .zero) }
        screen.show(for: .milliseconds(100))
        screen.close()
        if let failure = phase.failure { throw failure }
        screen.summarise(phase.summary, output: output)
    }

    private func start(_ name: String, _ body: @escaping @Sendable () throws(CommandFailure) -> Void) {
        parts.enter()
        let thread = Thread { [parts, phase] in
            defer { parts.leave() }
            do throws(CommandFailure) { try body() } catch { phase.fail(error) }
        }
        thread.name = name
        thread.start()
    }

    /// Removes the timelines of an earlier demo, which belong to another broker.
    private func removeOldTimelines() throws(CommandFailure) {
        let manager = FileManager.default
        let marker = output + "/.tideline-demo"
        if manager.fileExists(atPath: output) {
            let isOurs = manager.fileExists(atPath: marker)
            let isEmpty = (try? manager.contentsOfDirectory(atPath: output).isEmpty) ?? false
            guard isOurs || isEmpty else {
                throw CommandFailure(.usage, "--output: \(output) is there and not a demo's; name an empty directory")
            }
        }
        do {
            if manager.fileExists(atPath: output) { try manager.removeItem(atPath: output) }
            try manager.createDirectory(atPath: output, withIntermediateDirectories: true)
            try Data().write(to: URL(fileURLWithPath: marker))
        } catch {
            throw CommandFailure(.dataError, "--output: cannot write to \(output): \(error.localizedDescription)")
        }
    }
}

/// The order in which the demo's parts end. Any thread.
final class DemoPhase: Sendable {
    private let done = Atomic<Int>(0)
    private let failed = Mutex<CommandFailure?>(nil)
    private let finished = Mutex<RunSummary?>(nil)

    var isProducingDone: Bool { done.load(ordering: .relaxed) >= 1 || failure != nil }
    var isPipelineDone: Bool { done.load(ordering: .relaxed) >= 2 || failure != nil }
    var isSinkDone: Bool { done.load(ordering: .relaxed) >= 3 || failure != nil }
    var failure: CommandFailure? { failed.withLock { $0 } }
    /// The summary of the pipeline; `nil` until the pipeline has ended.
    var summary: RunSummary? { finished.withLock { $0 } }

    func endProducing() { done.store(1, ordering: .relaxed) }
    func endPipeline() { done.store(2, ordering: .relaxed) }
    func endSink() { done.store(3, ordering: .relaxed) }
    func finish(_ summary: RunSummary) { finished.withLock { $0 = summary } }
    func fail(_ failure: CommandFailure) { failed.withLock { if $0 == nil { $0 = failure } } }
}
