import Foundation
import HTTPClient
import RecordLog
import Simulation
import Sinks
import TestSupport

/// An nginx that keeps what is put to it as files, the sink that puts timelines there, and curl, which puts the same.
struct HTTPTarget {
    private let load: SinkLoad
    private let directory: URL
    private let nginx: NginxServer
    private let requestsMax = 16

    init(_ load: SinkLoad, in directory: URL) throws {
        self.load = load
        self.directory = directory
        nginx = try NginxServer()
        try nginx.start()
        try prepareCurl()
    }

    /// A cluster in memory with the topic, so that the sink alone is measured.
    func makeCluster() -> MemoryCluster {
        let cluster = MemoryCluster()
        cluster.createTopic("timelines", partitions: 1)
        cluster.createTopic("dead-letters", partitions: 1)
        for record in load.records {
            cluster.appendKeyed(
                "timelines", key: record.configurationId, value: String(decoding: record.value ?? [], as: UTF8.self))
        }
        return cluster
    }

    /// A whole run of the sink, its ledger included.
    func run(on cluster: MemoryCluster) throws {
        guard let secret = WebhookSecret(String(repeating: "s", count: 32)) else { fatalError("32 bytes are allowed") }
        var settings = DeliverySettings(
            name: "http", application: "benchmark", topic: "timelines", deadLettersTopic: "dead-letters")
        settings.reading.untilCaughtUp = true
        settings.pace.requestsMax = requestsMax
        var http = HTTPClientConfiguration()
        http.connectionsPerHost = requestsMax
        let address = try TimelineAddress("http://127.0.0.1:\(nginx.port)/sink/{configurationId}")
        let summary = try SinkRunner(
            cluster: cluster, destination: HTTPTimelines(HTTPTimelinesSettings(address: address, secret: secret)),
            transport: HTTPClient(http), settings: settings, instance: UUID().uuidString, clock: RunningClock(),
            random: { 0.5 }
        ).run()
        guard summary.delivered == load.records.count else { fatalError("\(summary)") }
    }

    /// Each timeline as a file, and the list of them for curl.
    private func prepareCurl() throws {
        let folder = directory.appending(path: "bodies")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var list = ""
        for record in load.records {
            let file = folder.appending(path: record.configurationId)
            try Data(record.value ?? []).write(to: file)
            list += "url = http://127.0.0.1:\(nginx.port)/curl/\(record.configurationId)\n"
            list += "upload-file = \(file.path)\noutput = /dev/null\nnext\n"
        }
        try Data(list.dropLast(5).utf8).write(to: directory.appending(path: "curl"))
    }

    func runCurl() throws {
        let curl = Process()
        curl.executableURL = URL(filePath: "/usr/bin/env")
        curl.arguments = [
            "curl", "--silent", "--parallel", "--parallel-max", "\(requestsMax)", "--config",
            directory.appending(path: "curl").path,
        ]
        // Its progress, which --silent leaves on for all but the first.
        curl.standardError = FileHandle.nullDevice
        try curl.run()
        curl.waitUntilExit()
        guard curl.terminationStatus == 0 else { fatalError("curl ended with \(curl.terminationStatus)") }
    }

    /// True if nginx holds the same of both.
    func holdsAll() throws -> Bool {
        let contents = try nginx.contents()
        return load.records.allSatisfy { record in
            let value = Data(record.value ?? [])
            return contents["sink/\(record.configurationId)"] == value
                && contents["curl/\(record.configurationId)"] == value
        }
    }

    func end() { nginx.kill() }
}

/// The machine's clock.
private final class RunningClock: DeliveryClock {
    private let begin = ContinuousClock.now

    var now: Duration { ContinuousClock.now - begin }
    var wall: Instant { Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

    func wait(for duration: Duration) { Thread.sleep(forTimeInterval: duration / .seconds(1)) }
}
