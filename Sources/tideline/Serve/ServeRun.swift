import Access
import Foundation
import Gateway
import HTTPServer
import Messages
import Observability
import RdKafka
import RecordLog
import Settings
import StreamRuntime
import Synchronization
import Times

/// One run of the server: the threads that read the topics, the HTTP server, and the main thread, which watches them
/// until they are to end.
final class ServeRun {
    private let environment: Environment
    private let context: GatewayContext
    private let router: GatewayRouter
    private let writer: LogRecordWriter
    private let configuration: HTTPServerConfiguration
    private let cache: ViewCache?
    private let health: HealthFile?
    private let began = WallClock.uptime()
    private let outcome = ReadingOutcome()

    /// - Throws: with status 64, naming all settings that are wrong; 69 if the cache file cannot be used.
    init(_ environment: Environment, healthFile: String?) throws(CommandFailure) {
        self.environment = environment
        var reading = ServeReading(environment.settings)
        let access = reading.access()
        guard let access, reading.problems.isEmpty else {
            throw CommandFailure(.usage, reading.problems.joined(separator: "\n"))
        }
        health = try HealthFile(healthFile)
        do throws(ViewCacheProblem) {
            cache = try environment.settings[Keys.serveCache].map { (path) throws(ViewCacheProblem) in
                try ViewCache(path: path)
            }
        } catch {
            throw CommandFailure(.usage, "serve.cache: \(error)")
        }
        let cluster = environment.cluster
        writer = LogRecordWriter { () throws(LogError) in
            guard let kafka = cluster as? RdKafkaCluster else {
                throw LogError(.unsupported, name: "NO_PRODUCER", "this cluster takes no records")
            }
            return try kafka.makeReportingProducer(clientId: "tideline-serve", deliveryTimeout: .seconds(8))
        }
        var gateway = reading.gateway(environment.topics)
        gateway.memory = environment.resources.memory
        context = GatewayContext(
            writer: writer, reloads: ExchangeRequests(InternalTopics(environment.settings), of: cluster),
            authenticator: access.authenticator, settings: gateway, clock: ServeClock())
        let router = GatewayRouter(GatewayRouter.routes(context), context: context)
        self.router = router
        var configuration = reading.server()
        // Nobody's body is kept before it is known who calls.
        configuration.admit = { router.refusal(of: $0) }
        self.configuration = configuration
    }

    /// Serves until the program is to end, or the topics cannot be read for good.
    ///
    /// - Throws: with status 69 if topics are missing or the address cannot be listened on, 70 if reading failed for
    ///   good.
    func run() throws(CommandFailure) -> ServeSummary {
        try environment.resources.start(descriptors: Descriptors.ofServe)
        let monitoring = try Monitoring.start(environment, verb: "serve", MetricsCatalogue.serve)
        defer { monitoring?.close() }
        let admin = try environment.connect()
        try requireTopics(admin)
        admin.close()
        let router = self.router
        let server: HTTPServer
        do throws(HTTPServerError) {
            server = try HTTPServer(configuration) { router.respond($0) }
        } catch {
            throw CommandFailure(.unavailable, "cannot serve at \(environment.settings[Keys.serveListen]): \(error)")
        }
        announce(server)
        let watch = monitoring.map { ServeMonitoring($0, context, server, failures: { router.failureCount }) }
        let threads = try startThreads()
        let reporter = ServeReporter(environment, context)
        let clock = SleepingClock()
        while !Signals.isStopRequested, !outcome.hasEnded {
            health?.touch()
            watch?.turn()
            context.waiters.tick(now: context.clock.now)
            reporter.report(server.statistics, failures: router.failureCount)
            clock.wait(for: .milliseconds(20))
        }
        watch?.end()
        context.health.stop()
        server.shutdown(grace: .seconds(5))
        writer.close()
        outcome.stop()
        for thread in threads { thread.wait() }
        if let failure = outcome.failure {
            throw CommandFailure(.software, "the topics cannot be read any more: \(failure)")
        }
        return ServeSummary(
            server.statistics, context, wallSeconds: Double((WallClock.uptime() - began).milliseconds) / 1000)
    }

    /// - Throws: with status 69, naming all topics that are missing, or the ACL.
    private func requireTopics(_ admin: any Admin) throws(CommandFailure) {
        let topics = environment.topics
        try environment.require(
            [topics.timelines, topics.reloads, topics.configurations, topics.positions, topics.positionsMerged], admin)
    }

    private func announce(_ server: HTTPServer) {
        var address = environment.settings[Keys.serveListen]
        address.port = server.port
        let scheme = configuration.tls == nil ? "http" : "https"
        let logger = environment.logger(for: .gateway)
        logger.info(
            "serving at \(scheme)://\(address)",
            metadata: ["access": .string(context.authenticator.isOpen ? "open to this machine" : "by token")])
        if let notice = server.notice { logger.warning("\(notice)") }
        if cache?.isReadableByOthers == true {
            logger.warning("others than its owner may read the cache file, which holds push tokens")
        }
        let settings = environment.settings
        if !settings[Keys.serveJWTAlgorithms].isEmpty, settings[Keys.serveJWTAudience] == nil {
            logger.warning(
                "JSON Web Tokens that were made for other services are accepted, too: set serve.jwt.audience")
        }
    }

    // MARK: - Threads

    private func startThreads() throws(CommandFailure) -> [ServeThread] {
        let watch = ViewWatch(context)
        let outcome = self.outcome
        let requests = { PatientRequests(clock: SleepingClock(), shouldStop: { outcome.isStopping }) }
        do throws(LogError) {
            let logger = environment.logger(for: .gateway)
            let brokers = environment.brokers
            let reader = try ViewReader(
                context, cluster: environment.cluster, watch: watch, cache: cache, requests: requests(),
                notice: { logger.log($0, brokers) })
            let rounds = ViewWatch.Rounds(try environment.cluster.makeAdmin())
            return [
                ServeThread("tideline-views", of: reader) { reader in
                    outcome.ended(with: reader.runToEnd())
                    reader.close()
                },
                ServeThread("tideline-watch", of: rounds) { rounds in
                    let clock = SleepingClock()
                    while !outcome.isStopping {
                        rounds.step(watch)
                        brokers?.tellRepeats()
                        clock.wait(for: .milliseconds(50))
                    }
                    rounds.close()
                },
            ]
        } catch {
            throw CommandFailure(.unavailable, "cannot read the topics: \(error)")
        }
    }
}

extension ViewReader {
    /// Reads until it is stopped; gives the failure that ended it, if one did.
    fileprivate func runToEnd() -> LogError? {
        do throws(LogError) {
            try run()
            return nil
        } catch {
            return error
        }
    }
}

/// The clocks of the API.
struct ServeClock: GatewayClock {
    var wall: Instant { WallClock.systemTime() }
    var now: Duration { WallClock.uptime() }
}

/// The end of the reading, as the threads tell it each other.
final class ReadingOutcome: Sendable {
    private let state = Mutex((isStopping: false, hasEnded: false, failure: LogError?.none))

    var isStopping: Bool { state.withLock { $0.isStopping } }
    var hasEnded: Bool { state.withLock { $0.hasEnded } }
    var failure: LogError? { state.withLock { $0.failure } }

    func stop() { state.withLock { $0.isStopping = true } }

    func ended(with failure: LogError?) {
        state.withLock { state in
            state.hasEnded = true
            state.failure = failure
        }
    }
}

/// A thread of its own that owns a value.
final class ServeThread {
    private let done = DispatchSemaphore(value: 0)

    /// - Parameter value: belongs to the thread from here on.
    init<Value>(_ name: String, of value: Value, _ body: @escaping @Sendable (Value) -> Void) {
        let owned = Owned(value)
        let done = self.done
        let thread = Thread {
            body(owned.value)
            done.signal()
        }
        thread.name = name
        thread.start()
    }

    func wait() { done.wait() }

    /// Hands a value over to another thread: the one that made it uses it no more.
    private struct Owned<Value>: @unchecked Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }
}
