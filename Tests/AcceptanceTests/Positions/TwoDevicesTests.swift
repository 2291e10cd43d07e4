import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// Two devices of one reader, and everything between them dies.
    @Suite struct TwoDevicesTests {
        @Test("two devices agree after the server, the pipeline and a device were killed, and no move is lost")
        func twoDevices() async throws {
            var world = try await ReadingWorld()
            let (phoneDisk, tabletDisk) = (TemporaryDirectory.make("phone"), TemporaryDirectory.make("tablet"))
            var phone = try world.reader("phone", phoneDisk)
            let tablet = try world.reader("tablet", tabletDisk)
            for reader in [phone, tablet] {
                let isShown = try await eventually {
                    try await reader.answer(to: "list").hasPrefix("20 entries, revision 1, from the server")
                }
                #expect(isShown)
            }
            try await phone.ask("go 3")
            #expect(try await phone.answer(to: "sync").hasPrefix("success"))
            #expect(try await tablet.answer(to: "sync").hasPrefix("success"))
            #expect(try await tablet.answer(to: "restore").hasPrefix("exact_match 3 "))

            // All between the devices goes; both read on.
            try await world.killServer()
            try await world.killPipeline()
            for place in [5, 6, 7] { try await phone.ask("go \(place)") }
            for place in [9, 8, 10] { try await tablet.ask("go \(place)") }
            for reader in [phone, tablet] { #expect(try await reader.answer(to: "save") == "done") }
            #expect(try await phone.answer(to: "sync") == "offline, 3 pending")
            #expect(try await tablet.answer(to: "sync") == "offline, 3 pending")

            // The phone goes, too, and comes back while nobody answers: its journal has everything.
            let killed = await phone.kill()
            #expect(killed.isSignalled && killed.status == SIGKILL)
            phone = try world.reader("phone", phoneDisk)
            #expect(try await phone.answer(to: "list").hasPrefix("20 entries, revision 1, from the cache"))
            #expect(try await phone.answer(to: "restore").hasPrefix("exact_match 7 "))
            #expect(try await phone.export()["pending"] as? Int == 3)

            // The server comes without the pipeline: the broker has the moves, and nobody merges them yet.
            try await world.startServer()
            #expect(try await phone.answer(to: "sync").hasPrefix("success"))
            #expect(try await phone.export()["pending"] as? Int == 0)
            try await world.killServer()
            // Whether the tablet has come through meanwhile or not: it is alone again.
            #expect(try await tablet.answer(to: "sync").hasPrefix("offline"))

            try world.startPipeline()
            try await world.startServer()
            try await expectAgreement(phone, tablet, world)
            for reader in [phone, tablet] {
                let result = try await reader.quit()
                #expect(result.succeeded, "\(result.failure)")
            }
            try await world.end()
        }

        private func expectAgreement(
            _ phone: ReaderProcess, _ tablet: ReaderProcess, _ world: ReadingWorld
        ) async throws {
            #expect(try await tablet.answer(to: "sync").hasPrefix("success"))
            // The tablet read last, and further.
            let agrees = try await eventually {
                guard try await phone.answer(to: "sync").hasPrefix("success") else { return false }
                return try await phone.answer(to: "restore").hasPrefix("exact_match 10 ")
            }
            #expect(agrees)
            #expect(try await tablet.answer(to: "restore").hasPrefix("exact_match 10 "))
            let summaries = try await [phone.export(), tablet.export()].map {
                try #require(($0["positions"] as? [String: Any])?["summary"] as? [String: Any])
            }
            for key in ["position", "devices", "readEntries"] {
                #expect("\(summaries[0][key] ?? "none")" == "\(summaries[1][key] ?? "none")", "\(key)")
            }
            #expect(summaries[0]["readEntries"] as? Int == 7)

            let history = try await world.history()
            #expect(history["phone"] == [7, 6, 5, 3] && history["tablet"] == [10, 8, 9])
            show(
                "two devices, kill -9 of server (twice), pipeline and one device: 6 offline moves, none lost, "
                    + "both at entry 10")
        }
    }
}

/// A broker, a pipeline, a server, and a timeline of 20 entries that stays as it is.
private struct ReadingWorld {
    private let application: Application
    private let port: UInt16
    private var pipeline: ProcessRunner
    private var server: ProcessRunner?

    init() async throws {
        application = try await Application("reading")
        port = try freePortPair()
        try await application.publish(
            configurations: """
                {"configurationId":"wall","kind":"Board","recipient":"ana","maximumEntries":20,\
                "strategy":{"name":"preview","count":20}}
                """)
        pipeline = try application.start("process")
        try await startServer()
    }

    var address: String { "http://127.0.0.1:\(port)" }

    func reader(_ device: String, _ disk: URL) throws -> ReaderProcess {
        try ReaderProcess(device, server: address, configuration: "wall", directory: disk)
    }

    mutating func startPipeline() throws {
        pipeline = try application.start("process")
    }

    mutating func startServer() async throws {
        let runner = try application.start("serve", "--listen", "127.0.0.1:\(port)", "--set", "serve.wait=PT2S")
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
