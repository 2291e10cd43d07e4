import Foundation
import Observability
import RdKafka
import RecordLog
import StreamRuntime

extension BrokerWatch {
    /// Asks brokers through handles of its own, of the same properties, whose log is dropped.
    ///
    /// - Parameter topics: The program's: whether a broker is missed is seen by their leaders.
    convenience init(_ logger: Logger, _ kafka: RdKafkaSettings, topics: [String]) {
        let ports = Ports(
            now: { WallClock.uptime() },
            ask: { address in Self.ask(address, kafka, topics) },
            start: { watch in
                let thread = Thread(block: watch)
                thread.name = "broker-watch"
                thread.start()
            },
            pause: { pause(.milliseconds(250)) })
        self.init(logger, bootstrap: kafka.bootstrapServers, ports: ports)
    }

    private static func ask(_ address: String, _ kafka: RdKafkaSettings, _ topics: [String]) -> ClusterView? {
        var probe = kafka
        probe.bootstrapServers = address
        probe.log = nil
        probe.statistics = nil
        guard let found = try? RdKafkaCluster(probe).members(leading: topics, timeout: .seconds(1)) else { return nil }
        return ClusterView(brokers: Set(found.brokers), hasAllLeaders: found.hasAllLeaders)
    }
}
