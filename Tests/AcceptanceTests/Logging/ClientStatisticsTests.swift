import Metrics
import Synchronization
import Testing

@testable import tideline

@Suite("librdkafka's statistics become metrics")
struct ClientStatisticsTests {
    private static func report(_ name: String, type: String = "producer", sent: Int, roundTrip: Int) -> String {
        """
        { "name": "\(name)", "client_id": "x", "type": "\(type)", "tx": \(sent), "rx": 3, "msg_cnt": 4, "msg_size": 50,
        "brokers": {
        "127.0.0.1:9092/1": { "nodeid": 1, "txerrs": 1, "rxerrs": 2, "req_timeouts": 3,
                              "rtt": { "p99": \(roundTrip) }, "throttle": { "avg": 20 } },
        "GroupCoordinator": { "nodeid": -1, "txerrs": 10, "rtt": { "p99": 99999999 } } } }
        """
    }

    private static func text(_ statistics: ClientStatistics) -> String {
        var snapshot = MetricsSnapshot(ClientMetrics.all)
        statistics.collect(into: &snapshot)
        return snapshot.text
    }

    @Test("handles of one role add up; of a broker's round trip the slowest handle counts, in seconds")
    func sums() {
        let statistics = ClientStatistics(now: { .zero })
        statistics.take(Self.report("a#producer-1", sent: 10, roundTrip: 2000))
        statistics.take(Self.report("b#producer-2", sent: 5, roundTrip: 7000))
        statistics.take(Self.report("b#consumer-3", type: "consumer", sent: 1, roundTrip: 1000))
        let text = Self.text(statistics)
        for line in [
            "tideline_client_handles{role=\"producer\"} 2", "tideline_client_requests_total{role=\"producer\"} 15",
            "tideline_client_requests_total{role=\"consumer\"} 1", "tideline_client_errors_total{role=\"consumer\"} 16",
            "tideline_client_queued_bytes{role=\"producer\"} 100",
            "tideline_client_round_trip_seconds{role=\"producer\",broker=\"1\"} 0.007",
            "tideline_client_throttle_seconds{role=\"producer\",broker=\"1\"} 0.02",
        ] {
            #expect(text.contains("\n\(line)\n"), "\(line) is not in \(text)")
        }
        #expect(!text.contains("broker=\"-1\""))
    }

    @Test("a handle that is gone still counts in what it sent, and in nothing else")
    func gone() {
        let now = Mutex(Duration.zero)
        let statistics = ClientStatistics(now: { now.withLock { $0 } })
        statistics.take(Self.report("a#producer-1", sent: 10, roundTrip: 2000))
        now.withLock { $0 = .seconds(60) }
        statistics.take(Self.report("a#producer-2", sent: 1, roundTrip: 1000))
        let text = Self.text(statistics)
        #expect(text.contains("tideline_client_requests_total{role=\"producer\"} 11\n"))
        #expect(text.contains("tideline_client_handles{role=\"producer\"} 1\n"))
        #expect(text.contains("tideline_client_queued_messages{role=\"producer\"} 4\n"))
    }

    @Test(
        "what is no report is left out", arguments: ["", "{}", "{\"name\":\"a\"", "[1]", "{\"name\": \"a\", \"x\": 1}"])
    func nonsense(text: String) {
        let statistics = ClientStatistics(now: { .zero })
        statistics.take(text)
        #expect(!Self.text(statistics).contains("{role="))
    }
}
