import Foundation
import Metrics
import RdKafka
import Synchronization

/// What librdkafka measures, handle by handle. The handles' threads hand texts over; they are read when somebody asks.
/// Any thread.
///
/// A handle that is gone still counts in what it sent and received, so that counters never fall.
final class ClientStatistics: Sendable {
    private struct Handle {
        var text: String?
        var numbers = HandleNumbers()
        var at: Duration
    }

    private let handles = Mutex<[String: Handle]>([:])
    private let now: @Sendable () -> Duration

    static let interval = Duration.seconds(10)
    /// After so long without a report a handle is gone.
    private static let patience = Duration.seconds(35)

    init(now: @escaping @Sendable () -> Duration = { WallClock.uptime() }) {
        self.now = now
    }

    /// What librdkafka is told to do.
    var settings: RdKafkaSettings.Statistics {
        RdKafkaSettings.Statistics(every: Self.interval) { [self] in take($0) }
    }

    /// Keeps a report; the text is not looked into but for the handle's name, which it begins with.
    func take(_ json: String) {
        let parts = json.prefix(300).split(separator: "\"", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5, parts[1] == "name" else { return }
        let time = now()
        handles.withLock { handles in
            handles[String(parts[3]), default: Handle(at: time)].text = json
            handles[String(parts[3])]?.at = time
        }
    }

    func collect(into snapshot: inout MetricsSnapshot) {
        let time = now()
        let found = handles.withLock { handles in
            for (name, handle) in handles {
                guard let text = handle.text else { continue }
                handles[name]?.text = nil
                if let numbers = HandleNumbers(json: text) { handles[name]?.numbers = numbers }
            }
            return handles.sorted { $0.key < $1.key }.map(\.value)
        }
        for handle in found { handle.numbers.collect(into: &snapshot, isPresent: time - handle.at < Self.patience) }
    }
}

/// The numbers of one handle, by the names of librdkafka's STATISTICS.md.
struct HandleNumbers {
    var role = ""
    private var totals: [String: Double] = [:]
    private var errors = 0.0
    private var brokers: [(name: String, roundTrip: Double, throttle: Double)] = []

    init() {}

    /// - Returns: `nil` if the text is no report.
    init?(json: String) {
        guard let object = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any],
            let type = object["type"] as? String
        else { return nil }
        role = type
        for name in ["tx", "rx", "tx_bytes", "rx_bytes", "txmsgs", "rxmsgs", "msg_cnt", "msg_size"] {
            totals[name] = Self.number(object[name])
        }
        let found = object["brokers"] as? [String: [String: Any]] ?? [:]
        for (_, broker) in found.sorted(by: { $0.key < $1.key }) {
            errors += ["txerrs", "rxerrs", "req_timeouts"].reduce(0) { $0 + Self.number(broker[$1]) }
            // Those of the bootstrap list have no number of their own, and those behind a group have -1.
            let id = Self.number(broker["nodeid"])
            guard id >= 0 else { continue }
            let roundTrip = Self.number((broker["rtt"] as? [String: Any])?["p99"]) / 1_000_000
            let throttle = Self.number((broker["throttle"] as? [String: Any])?["avg"]) / 1000
            brokers.append((String(Int(id)), roundTrip, throttle))
        }
    }

    /// - Parameter isPresent: false for a handle that is gone, of which the totals alone are left.
    func collect(into snapshot: inout MetricsSnapshot, isPresent: Bool) {
        guard !role.isEmpty else { return }
        let counters: [(MetricFamily, String)] = [
            (ClientMetrics.requests, "tx"), (ClientMetrics.responses, "rx"), (ClientMetrics.sentBytes, "tx_bytes"),
            (ClientMetrics.receivedBytes, "rx_bytes"), (ClientMetrics.sentMessages, "txmsgs"),
            (ClientMetrics.receivedMessages, "rxmsgs"),
        ]
        for (family, name) in counters { snapshot.add(totals[name] ?? 0, to: family, [role]) }
        snapshot.add(errors, to: ClientMetrics.errors, [role])
        guard isPresent else { return }
        snapshot.add(1, to: ClientMetrics.handles, [role])
        snapshot.add(totals["msg_cnt"] ?? 0, to: ClientMetrics.queuedMessages, [role])
        snapshot.add(totals["msg_size"] ?? 0, to: ClientMetrics.queuedBytes, [role])
        for broker in brokers {
            snapshot.raise(ClientMetrics.roundTrip, to: broker.roundTrip, [role, broker.name])
            snapshot.raise(ClientMetrics.throttle, to: broker.throttle, [role, broker.name])
        }
    }

    private static func number(_ value: Any?) -> Double { (value as? NSNumber)?.doubleValue ?? 0 }
}
