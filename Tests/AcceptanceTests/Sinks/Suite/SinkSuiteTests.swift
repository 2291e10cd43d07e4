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
        /// The sinks that are named, or all.
        private static let schemes: [String] = {
            let named = environment["TIDELINE_TEST_SINKS"]?.split(separator: ",").map(String.init) ?? []
            return SinkGuarantee.all.map(\.scheme).filter { named.isEmpty || named.contains($0) }
        }()

        private func target(_ scheme: String) async throws -> any TargetUnderTest {
            switch scheme {
            case "files": try FilesTarget(.files)
            case "ics": try FilesTarget(.calendars)
            case "sqlite": try await TablesTarget(.tables)
            case "postgres": try await PostgresTarget(.postgres)
            case "reloads-sqlite": try await TablesTarget(.reloadTables)
            case "reloads-postgres": try await PostgresTarget(.reloadsInPostgres)
            case "redis": try RedisTarget()
            case "kafka": try await KafkaTarget()
            case "http": try NginxTarget()
            case "stdout": LinesTarget()
            default: preconditionFailure("no target is called \(scheme)")
            }
        }

        /// Most of what a sink is asked for is waiting, so several are asked at a time; more would keep two cores busy.
        private static let width = 3

        @Test("every sink is what its topic says, row by row, whatever was killed or away")
        func suite() async throws {
            try #require(!Self.schemes.isEmpty, "no sink is named")
            await withTaskGroup(of: Void.self) { group in
                for (number, scheme) in Self.schemes.enumerated() {
                    if number >= Self.width { await group.next() }
                    group.addTask {
                        do { try await suite(of: scheme) } catch { Issue.record("\(scheme): \(error)") }
                    }
                }
            }
        }

        private func suite(of scheme: String) async throws {
            let target = try await target(scheme)
            var suite = try await SinkSuite(target)
            try await suite.reads()
            try await suite.leavesOut()
            try await suite.stops()
            try await suite.keepsTheNewest()
            let figures = try await suite.survives(kills: Self.kills, outages: Self.outages)
            let hits = try await suite.survivesAtItsCalls()
            try await suite.waitsForASlowTarget()
            try await suite.outlasts(.seconds(Self.outage))
            try await suite.doubtsWhatIsNotThere()
            try await suite.waitsForRoom()
            try await suite.standsAlone()
            if [.kafka, .kafkaHome].contains(try await TestBroker.shared().kind) {
                try await suite.startsOver()
            } else {
                show("not tested: a topic that is made again needs a tool of Apache Kafka's archive")
            }
            try await target.close()
            show("sink \(scheme): \(figures); \(hits) kills at a call")
        }
    }
}
