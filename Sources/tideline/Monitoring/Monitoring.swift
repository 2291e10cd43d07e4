import Access
import Foundation
import Gateway
import HTTPServer
import Messages
import Metrics
import Observability
import Settings
import Synchronization

/// The metrics and the health of a process, served over HTTP from its start to its end. Any thread.
final class Monitoring: Sendable {
    let registry: MetricsRegistry
    private let health: Mutex<any HealthSource>
    private let server = Mutex<HTTPServer?>(nil)
    private let resources: ResourceWatch
    private let began = WallClock.uptime()

    /// Listens where `metrics.listen` says.
    ///
    /// - Parameters:
    ///   - verb: for `tideline_build_info`.
    ///   - families: all metrics that there will be.
    /// - Returns: `nil` if the setting names no address.
    /// - Throws: with status 69 if the address cannot be listened on.
    static func start(
        _ environment: Environment, verb: String, _ families: [MetricFamily]
    ) throws(CommandFailure) -> Monitoring? {
        guard let listen = environment.settings[Keys.metricsListen] else { return nil }
        return try Monitoring(environment, verb: verb, families, listen)
    }

    private init(
        _ environment: Environment, verb: String, _ families: [MetricFamily], _ listen: ListenAddress
    ) throws(CommandFailure) {
        registry = MetricsRegistry(families)
        resources = environment.resources
        health = Mutex(StartingHealth(waitsFor: "a broker at \(environment.settings[Keys.bootstrap])"))
        collectProcess(environment, verb: verb)
        var configuration = HTTPServerConfiguration()
        configuration.address = listen.host
        configuration.port = listen.port
        configuration.threads = 1
        configuration.bodyLimit = 0
        configuration.connectionLimit = 64
        let isLocal = Loopback.contains(listen.host)
        do throws(HTTPServerError) {
            let server = try HTTPServer(configuration) { [weak self] request in
                // A request may still be read while its process lets go of everything.
                .now(self?.respond(to: request, isLocal: isLocal) ?? HTTPResponse(503))
            }
            let address = ListenAddress(host: listen.host, port: server.port)
            let logger = environment.logger(for: .monitoring)
            logger.info("metrics and health at http://\(address)")
            if !isLocal {
                logger.notice("everybody who reaches \(address) may read metrics and health")
            }
            self.server.withLock { $0 = server }
        } catch {
            throw CommandFailure(.unavailable, "cannot serve metrics at \(listen): \(error)")
        }
    }

    /// From here on the checks ask this source.
    func watch(_ source: any HealthSource) { health.withLock { $0 = source } }

    /// Says that the process is about to end. Its metrics can be read until `close`.
    func end() { watch(EndingHealth()) }

    func close() {
        server.withLock { $0.take() }?.shutdown(grace: .milliseconds(200))
    }

    // MARK: - Answers

    private func problems(_ check: HealthCheck) -> [HealthProblem] {
        health.withLock { $0 }.problems(check, now: WallClock.uptime()) + resources.problems(check)
    }

    private func respond(to request: HTTPRequest, isLocal: Bool) -> HTTPResponse {
        do throws(Problem) {
            // Where others may ask anyway, no name is wrong.
            if isLocal { try LocalCallers(allowing: []).check(request) }
            guard request.method == "GET" else {
                throw .methodNotAllowed(["GET", "HEAD"])
            }
            if request.path == ["metrics"] { return metrics }
            guard request.path.count == 2, request.path[0] == "health",
                let check = HealthCheck(rawValue: request.path[1])
            else {
                let names = HealthCheck.allCases.map { "/health/\($0)" }.joined(separator: ", ")
                throw Problem(404, "not-found", "There is nothing here.", detail: "There are /metrics, \(names).")
            }
            let problems = problems(check)
            let notices = check == .ready ? health.withLock { $0 }.notices(now: WallClock.uptime()) : []
            return HTTPResponse(
                problems.isEmpty ? 200 : 503,
                headers: [HTTPField("Content-Type", "application/json"), Self.noStore],
                body: HTTPBody(
                    problems.json(check, zoneData: TimeZone.timeZoneDataVersion, notices: notices) + "\n"))
        } catch {
            return error.response
        }
    }

    private var metrics: HTTPResponse {
        HTTPResponse(
            200, headers: [HTTPField("Content-Type", MetricsSnapshot.contentType), Self.noStore],
            body: HTTPBody(registry.snapshot().text))
    }

    private static let noStore = HTTPField("Cache-Control", "no-store")

    // MARK: - The process

    private func collectProcess(_ environment: Environment, verb: String) {
        let (began, brokers, memory) = (began, environment.brokers, resources.memory)
        registry.collect { [weak self] snapshot in
            let now = WallClock.uptime()
            snapshot.say(ProcessMetrics.build, [ContractVersion.release, verb, TimeZone.timeZoneDataVersion])
            for check in HealthCheck.allCases {
                guard let self else { return }
                snapshot.add(problems(check).isEmpty ? 1 : 0, to: ProcessMetrics.health, [check.rawValue])
            }
            snapshot.add((now - began) / .seconds(1), to: ProcessMetrics.uptime)
            let usage = ProcessUsage.current()
            snapshot.add(usage.cpuSeconds, to: ProcessMetrics.cpu)
            snapshot.add(usage.peakMemory, to: ProcessMetrics.memoryPeak)
            if let resident = ProcessUsage.residentMemory { snapshot.add(resident, to: ProcessMetrics.memory) }
            if let limit = memory.limit { snapshot.add(limit, to: ProcessMetrics.memoryLimit) }
            snapshot.add(memory.isShort ? 1 : 0, to: ProcessMetrics.memoryPressure)
            if let files = ProcessUsage.openFiles {
                snapshot.add(files.open, to: ProcessMetrics.openFiles)
                snapshot.add(files.limit, to: ProcessMetrics.openFilesLimit)
            }
            let away = brokers?.awaySince.map { (now - $0) / .seconds(1) }
            snapshot.add(away ?? 0, to: ProcessMetrics.brokerAway)
        }
        if let statistics = environment.clientStatistics { registry.collect { statistics.collect(into: &$0) } }
    }
}
