import Foundation
import Glibc
import SplitMix
import Synchronization
import TestSupport

/// A run: brokers, processes, producers and a sink start; faults happen; they end; all must settle; it is judged.
package final class ChaosRun: Sendable {
    let plan: ChaosPlan
    let say: @Sendable (String) -> Void
    let cluster: BrokerCluster
    let proxies: [Proxy]
    let processes: [ProgramSlot]
    let sink: ProgramSlot
    let disk: SmallDisk?
    let fleet: [ProgramSlot]
    let writer: LedgerWriter
    let ledger: Ledger
    let watch: GroupWatch
    let counts = FaultCounts()
    let sinkFolder: URL

    static let application = "chaos"
    static let inputs = ["vehicle.telemetry", "calendar.events", "widget.configurations", "timeline.positions"]

    // MARK: - Starting

    /// Starts the brokers, makes the topics, and prepares the rest.
    package init(_ plan: ChaosPlan, say: @escaping @Sendable (String) -> Void) throws {
        self.plan = plan
        self.say = say
        _ = try Kcat.executable()
        let logs = plan.directory.appending(path: "logs")
        try FileManager.default.createDirectory(at: logs, withIntermediateDirectories: true)
        let clients = plan.streamThreads.count
        cluster = try BrokerCluster(brokers: plan.brokers, clients: clients, directory: plan.directory)
        let nodes = cluster.nodes
        proxies = try (0..<clients).map { client in
            try Proxy(nodes.map { ($0.doors[client].proxy, $0.doors[client].broker) })
        }
        let open = ["--bootstrap", cluster.bootstrap, "--application", Self.application]
        let common = ["--set", "session.timeout=PT\(plan.sessionSeconds)S"] + plan.processOptions
        let counts = self.counts
        func isExplained(_ name: String) -> @Sendable (ProcessResult, Double) -> Bool {
            { counts.explain(status: $0.isSignalled ? nil : $0.status, $0.standardError, of: name, since: $1) }
        }
        processes = plan.streamThreads.enumerated().map { number, threads in
            let bootstrap = nodes.map { "127.0.0.1:\($0.doors[number].proxy)" }.joined(separator: ",")
            let name = Self.processName(number)
            return ProgramSlot(
                name, plan.tideline,
                ["process", "--stream-threads", String(threads), "--bootstrap", bootstrap]
                    + ["--application", Self.application] + common + (plan.hasInstances ? ["--instance", name] : []),
                logs: logs, isExplained: isExplained(name))
        }
        disk = try SmallDisk(at: plan.directory.appending(path: "disk"), megabytes: 256)
        sinkFolder = disk?.folder ?? plan.directory.appending(path: "files")
        if let disk {
            sink = ProgramSlot(
                "sink", URL(filePath: "/usr/bin/nsenter"),
                disk.prefix + [plan.tideline.path, "sink", "--to", "files:\(disk.insidePath)"] + open, logs: logs,
                isExplained: isExplained("sink"))
        } else {
            sink = ProgramSlot(
                "sink", plan.tideline, ["sink", "--to", "files:\(sinkFolder.path)"] + open, logs: logs,
                isExplained: isExplained("sink"))
        }
        fleet = [
            ["telemetry", "--fleet", "30", "--rate", "30"], ["calendar", "--fleet", "30", "--every", "PT5S"],
            ["configurations", "--fleet", "30", "--every", "PT5S"],
        ].map { words in
            let name = "fleet-\(words[0])"
            return ProgramSlot(
                name, plan.tideline, ["produce"] + words + open, logs: logs, isExplained: isExplained(name))
        }
        ledger = Ledger(session: String(plan.seed))
        writer = try LedgerWriter(
            ledger, tideline: plan.tideline, options: open, rate: plan.rate, directory: plan.directory, logs: logs)
        watch = GroupWatch(
            bootstrap: cluster.bootstrap, group: Self.application, inputs: Self.inputs, output: "timelines",
            partitions: plan.partitions, session: Double(plan.sessionSeconds),
            grace: Double(plan.sessionSeconds) + 2)
        try run("topics", "--partitions", String(plan.partitions), "--replication", String(plan.brokers))
    }

    /// Runs a verb on the open listeners to its end.
    @discardableResult
    func run(_ words: String..., options: [String] = []) throws -> ProcessResult {
        let runner = try ProcessRunner(
            plan.tideline,
            words + ["--bootstrap", cluster.bootstrap]
                + (options.isEmpty ? ["--application", Self.application] : options), timeout: .seconds(600))
        let result = runner.waitBlocking()
        guard result.succeeded else {
            throw ChaosError("tideline \(words.joined(separator: " ")): \(result.standardError.suffix(2000))")
        }
        return result
    }

    // MARK: - The run

    /// Makes the run and judges it.
    package func run() throws -> ChaosReport {
        let began = monotonicSeconds()
        for process in processes { try process.start() }
        // Its internal topics exist as soon as one of them reads.
        let isUp = wait(atMost: 60, every: 0.5) {
            for process in processes { try? process.supervise() }
            return processes.allSatisfy { $0.isRunning }
                && (try? Kcat(bootstrap: cluster.bootstrap).read(Self.exchange)) != nil
        }
        guard isUp else { throw ChaosError("the processes do not start: \(processes.map(\.incidents))") }
        try sink.start()
        for program in fleet { try program.start() }
        try writer.start()
        watch.start()

        let faultSeconds = try injectFaults()
        let lastFault = monotonicSeconds()
        say("no more faults after \(Int(faultSeconds)) s; the inputs are completed")
        writer.finish()
        for program in fleet { program.terminate() }
        var report = ChaosReport(plan)
        if let failure = writer.failure { report.breaches.append("the ledger's writer: \(failure)") }
        try settle(since: lastFault, &report)
        try judge(&report)
        watch.stop()
        report.note(watch.figures, counts, began: began)
        report.faultSeconds = faultSeconds
        report.seconds = monotonicSeconds() - began
        report.starts = processes.reduce(0) { $0 + $1.starts }
        report.explainedEnds = processes.reduce(0) { $0 + $1.explainedEnds }
        report.records = writer.records
        return report
    }

    /// - Parameter index: from 0.
    static func processName(_ index: Int) -> String { "process-\(index + 1)" }

    static var exchange: String { application + ".exchange" }

    /// Ends what runs, in order.
    package func close() {
        for program in processes + fleet + [sink] { program.kill() }
        for proxy in proxies { proxy.close() }
        disk?.close()
        for node in cluster.nodes.indices { cluster.signal(node, SIGCONT) }
        try? cluster.kill(cluster.nodes.indices)
    }
}
