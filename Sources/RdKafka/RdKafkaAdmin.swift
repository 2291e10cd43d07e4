import CRdKafka
import RecordLog

/// Requests about topics, offsets and groups, on consumer instances that are in no group: unlike a producer, a
/// consumer does not make the brokers create the topics that it asks about.
final class RdKafkaAdmin: Admin {
    let client: ClientHandle
    private let settings: RdKafkaSettings
    /// Ends by isolation need an instance of that isolation: made when asked for.
    private var committedReader: ClientHandle?
    /// What went wrong beneath since the last time it was looked at, e.g. `connect refused`.
    private var failures: [LogError] = []

    init(_ settings: RdKafkaSettings) throws(LogError) {
        self.settings = settings
        client = try settings.makeClient(.admin(isolation: .readUncommitted), clientId: Self.clientId)
        client.callbacks.failed = { [unowned self] in failures.append($0) }
    }

    private static let clientId = "tideline-admin"

    func connect(timeout: Duration) throws(LogError) {
        let deadline = ContinuousClock.now + timeout
        var attempts: [String] = []
        while true {
            let left = deadline - .now
            if client.hasBroker(timeout: min(max(left, .zero), .milliseconds(500))) { return }
            rd_kafka_poll(client.pointer, 0)
            for failure in failures where !attempts.contains(failure.message) { attempts.append(failure.message) }
            failures = []
            guard left > .zero else { break }
        }
        let tried = attempts.isEmpty ? "nothing was refused, nothing answered" : attempts.joined(separator: "; ")
        throw LogError(
            .unreachable, name: "_TRANSPORT",
            "no broker answered at \(settings.bootstrapServers) within \(timeout): \(tried)", isRetriable: true)
    }

    func reader(isolation: IsolationLevel) throws(LogError) -> ClientHandle {
        guard isolation == .readCommitted else { return client }
        if let committedReader { return committedReader }
        let reader = try settings.makeClient(.admin(isolation: .readCommitted), clientId: Self.clientId)
        committedReader = reader
        return reader
    }

    func close() {
        committedReader?.destroy()
        client.destroy()
    }
}
