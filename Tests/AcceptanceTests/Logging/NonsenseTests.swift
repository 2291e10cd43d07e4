import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// A bootstrap address where no broker is, but something that answers, or takes connections and says nothing.
    @Suite struct NonsenseTests {
        @Test(
            "what is no broker makes a handful of lines, and the end says what was last tried and answered",
            arguments: NonsenseServer.Manner.allCases)
        func nonsense(manner: NonsenseServer.Manner) async throws {
            let server = try NonsenseServer(manner)
            defer { server.close() }
            for verb in [["process"], ["sink", "--to", "files:unused"]] {
                let result = try await tideline(
                    verb + ["--bootstrap", "127.0.0.1:\(server.port)", "--set", "connect.timeout=PT4S"])
                #expect(result.status == 69, "\(result.failure)")
                let lines = result.standardError.split(separator: "\n")
                #expect(lines.count <= 4, "\(lines.count) lines: \(result.failure)")
                let last = try #require(lines.last)
                #expect(last.contains("no broker answers at 127.0.0.1:\(server.port)"), "\(last)")
                #expect(last.contains("the last answer was: "), "\(last)")
                #expect(!last.contains("nothing was refused"), "\(last)")
                switch manner {
                case .garbage, .http: #expect(last.contains("speaks no Kafka"), "\(last)")
                case .silent: #expect(last.contains("takes connections and says nothing"), "\(last)")
                }
            }
            #expect(server.connections > 0)
        }

        @Test("a controller's port is named as such, in a handful of lines")
        func controller() async throws {
            let broker = try await TestBroker.dedicated()
            guard broker.kind == .kafka || broker.kind == .kafkaHome else { return }
            let port = try #require(broker.bootstrap.split(separator: ":").last.flatMap { UInt16($0) })
            let began = ContinuousClock.now
            let result = try await tideline(
                ["process", "--bootstrap", "127.0.0.1:\(port + 1)", "--set", "connect.timeout=PT4S"])
            #expect(ContinuousClock.now - began < .seconds(20))
            #expect(result.status == 69, "\(result.failure)")
            let lines = result.standardError.split(separator: "\n")
            #expect(lines.count <= 4, "\(lines.count) lines: \(result.failure)")
            #expect(lines.last?.contains("the port of a controller?") == true, "\(result.failure)")
            try await broker.stop()
            show("a controller's port as bootstrap for 4 s: \(lines.count) lines, the last one says what answers there")
        }
    }
}
