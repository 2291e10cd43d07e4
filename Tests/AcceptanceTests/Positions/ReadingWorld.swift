import Foundation
import TestSupport
import Testing

/// A broker, a pipeline, a server, and a timeline of 20 entries that stays as it is.
struct ReadingWorld {
    private let application: Application
    private let port: UInt16
    private let serverOptions: [String]
    private var pipeline: ProcessRunner
    private var server: ProcessRunner?

    /// - Parameters:
    ///   - token: the secret of reader ana and recipient ana, who alone may ask; `nil` lets everybody.
    ///   - broker: one that the test may kill; `nil` takes the one of all tests.
    init(token: String? = nil, on broker: TestBroker? = nil) async throws {
        application = try await Application("reading", on: broker)
        port = try freePortPair()
        serverOptions = if let token { try await Self.options(for: token, application) } else { [] }
        try await Self.publish(entries: 20, application)
        pipeline = try application.start("process")
        try await startServer()
    }

    var address: String { "http://127.0.0.1:\(port)" }

    func reader(_ device: String, _ disk: URL) throws -> ReaderProcess {
        try ReaderProcess(device, server: address, configuration: "wall", directory: disk)
    }

    private static func options(for token: String, _ application: Application) async throws -> [String] {
        let file = try application.file("token", token)
        let made = try await ProcessRunner.run(
            TidelineExecutable.url, ["serve", "--hash-token"], input: URL(filePath: file))
        try #require(made.succeeded, "\(made.failure)")
        let hash = made.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
        let value = """
            [{"name":"app","sha256":"\(hash)","scopes":["read","write"],"readers":["ana"],"recipients":["ana"]}]
            """
        return ["--set", "serve.tokens=\(value)"]
    }

    private static func publish(entries: Int, _ application: Application) async throws {
        try await application.publish(
            configurations: """
                {"configurationId":"wall","kind":"Board","recipient":"ana","maximumEntries":\(entries),\
                "strategy":{"name":"preview","count":20}}
                """)
    }

    /// Changes the configuration, so that its timeline has so many entries.
    func publish(entries: Int) async throws {
        try await Self.publish(entries: entries, application)
    }

    mutating func startPipeline() throws {
        pipeline = try application.start("process")
    }

    mutating func startServer() async throws {
        let words = ["serve", "--listen", "127.0.0.1:\(port)", "--set", "serve.wait=PT2S"]
        let runner = try ProcessRunner(
            TidelineExecutable.url, words + serverOptions + application.options, timeout: .seconds(180))
        server = runner
        let isReady = await eventually { await (try? get("/health/ready")) != nil }
        try #require(isReady, "\(runner.errorOutput)")
    }

    mutating func killServer() async throws {
        let result = try #require(server).result
        server?.kill()
        #expect(await result().isSignalled)
    }

    func killPipeline() async throws {
        pipeline.kill()
        #expect(await pipeline.result().isSignalled)
    }

    func end() async throws {
        for runner in [pipeline, server].compactMap(\.self) {
            runner.terminate()
            let result = await runner.result()
            #expect(result.succeeded, "\(result.failure)")
        }
    }

    /// The indexes of the entries where each device was, as the server remembers them: the newest first.
    func history() async throws -> [String: [Int]] {
        let export = try #require(
            try JSONSerialization.jsonObject(with: await get("/v1/readers/ana/positions/wall/debug")) as? [String: Any])
        let devices = try #require(export["history"] as? [[String: Any]])
        return Dictionary(
            uniqueKeysWithValues: devices.map { device in
                let snapshots = device["snapshots"] as? [[String: Any]] ?? []
                return (device["deviceId"] as? String ?? "", snapshots.compactMap { $0["index"] as? Int })
            })
    }

    private func get(_ path: String) async throws -> Data {
        let result = try await ProcessRunner.run(
            URL(filePath: "/usr/bin/curl"), ["--silent", "--fail", "--max-time", "10", address + path])
        guard result.succeeded else { throw TestBrokerError("\(path): \(result.failure)") }
        return Data(result.standardOutput.utf8)
    }
}
