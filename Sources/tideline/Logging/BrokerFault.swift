import Foundation

/// What a line of librdkafka's says about the connection to one broker.
struct BrokerFault: Equatable {
    /// `host:port`.
    var address: String
    var reason: String

    init(address: String, reason: String) {
        self.address = address
        self.reason = reason
    }

    /// Takes lines like `[thrd:…]: 127.0.0.1:9092/1: Connect to ipv4#127.0.0.1:9092 failed: Connection refused
    /// (after 0ms in state CONNECT)`; nil where no broker is named before the reason.
    init?(_ message: String) {
        let pattern = /(?:^|[\s\/])((?:[A-Za-z0-9_.\-]+|\[[0-9A-Fa-f:]+\]):[0-9]{1,5})(?:\/[A-Za-z0-9]+)?: (.+)$/
        guard let match = message.firstMatch(of: pattern) else { return nil }
        address = String(match.1)
        reason = String(match.2)
        if let end = reason.range(of: " (after ") { reason = String(reason[..<end.lowerBound]) }
    }

    /// The broker answers, but does not let us in: this does not pass by itself. When a connection ends, as it does at
    /// a broker that is starting, librdkafka only supposes that authentication may be missing.
    var isRefusal: Bool {
        !reason.hasPrefix("Disconnected") && reason.contains(/(?i)authenticat|authoriz|certificate/)
    }
}
