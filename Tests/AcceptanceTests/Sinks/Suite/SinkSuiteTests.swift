import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// Every sink is asked for the same. `make sink-faults` does it with more faults.
    @Suite struct SinkSuiteTests {
        private static let environment = ProcessInfo.processInfo.environment
        private static let kills = environment["TIDELINE_TEST_SINK_KILLS"].flatMap { Int($0) } ?? 3
        private static let outages = environment["TIDELINE_TEST_SINK_OUTAGES"].flatMap { Int($0) } ?? 2
        private static let outage = environment["TIDELINE_TEST_SINK_OUTAGE"].flatMap { Int($0) } ?? 5

        private func target(_ scheme: String) async throws -> any TargetUnderTest {
            switch scheme {
            case "files": try FilesTarget(.files)
            case "files-by-recipient": try FilesTarget(.filesByRecipient)
            case "ics": try FilesTarget(.calendars)
            case "sqlite": try await TablesTarget(.tables)
            case "postgres": try await PostgresTarget(.postgres)
            case "reloads-sqlite": try await TablesTarget(.reloadTables)
            case "reloads-postgres": try await PostgresTarget(.reloadsInPostgres)
            case "redis": try RedisTarget()
            case "kafka": try await KafkaTarget()
            case "http": try NginxTarget()
            case "http-batch": try await ReceiverTarget()
            case "stdout": await LinesTarget()
            default: preconditionFailure("no target is called \(scheme)")
            }
        }

        /// Most of what a sink is asked for is waiting, so several are asked at a time; more would keep two cores busy.
        private static let width = 3

        @Test("every sink is what its topic says, row by row, whatever was killed or away")
        func suite() async throws {
            let schemes = try SinkGuarantee.named(Self.environment["TIDELINE_TEST_SINKS"] ?? "").map(\.scheme)
            if await !MountedDisk.isPossible() {
                show("not tested: full disks, and the outage of files: no file system can be mounted here")
            }
            await withTaskGroup(of: Void.self) { group in
                for (number, scheme) in schemes.enumerated() {
                    if number >= Self.width { await group.next() }
                    group.addTask {
                        do { try await suite(of: scheme) } catch { Issue.record("\(scheme): \(error)") }
                    }
                }
            }
        }

        @Test("a sink that nobody knows is refused, with those that are allowed")
        func misspelt() throws {
            #expect(try SinkGuarantee.named("").count == SinkGuarantee.all.count)
            #expect(try SinkGuarantee.named("redis,files").map(\.scheme) == ["files", "redis"])
            let error = #expect(throws: UnknownSinks.self) { try SinkGuarantee.named("files,postgress,redis") }
            #expect(error?.names == ["postgress"])
            #expect(error?.description.contains("postgress; allowed are files, ") == true)
        }

        /// Closes the target at the end, also where a demand is not met: mounts and servers would stay.
        private func suite(of scheme: String) async throws {
            let target = try await target(scheme)
            do {
                try await ask(target)
            } catch {
                try? await target.close()
                throw error
            }
            try await target.close()
        }

        private func ask(_ target: any TargetUnderTest) async throws {
            let guarantee = target.guarantee
            let isWhole = guarantee.variantOf == nil
            var suite = try await SinkSuite(target)
            if isWhole {
                try await suite.reads()
                try await suite.leavesOut()
                try await suite.stops()
                try await suite.keepsTheNewest()
            }
            let figures = try await suite.survives(kills: Self.kills, outages: Self.outages)
            let hits = try await suite.survivesAtItsCalls()
            if isWhole { try await suite.waitsForASlowTarget() }
            try await suite.outlasts(.seconds(Self.outage))
            if isWhole {
                try await suite.doubtsWhatIsNotThere()
                try await suite.waitsForRoom()
                try await suite.standsAlone()
                if [.kafka, .kafkaHome].contains(try await TestBroker.shared().kind) {
                    try await suite.startsOver()
                } else {
                    show("not tested: a topic that is made again needs a tool of Apache Kafka's archive")
                }
            }
            show("sink \(guarantee.scheme): \(figures); \(hits) kills at a call")
        }
    }
}
