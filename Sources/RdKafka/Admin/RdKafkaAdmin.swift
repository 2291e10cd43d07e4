import CRdKafka
import RecordLog

/// Requests about topics, offsets and groups, on consumer instances that are in no group: unlike a producer, a
/// consumer does not make the brokers create the topics that it asks about.
final class RdKafkaAdmin: Admin {
    let client: ClientHandle
    let settings: RdKafkaSettings
    /// Ends by isolation need an instance of that isolation: made when asked for.
    private var committedReader: ClientHandle?
    /// The last different things that went wrong beneath, e.g. that a connection was refused.
    private var failures: [String] = []
    private static let failuresMax = 8

    init(_ settings: RdKafkaSettings) throws(LogError) {
        self.settings = settings
        client = try settings.makeClient(.admin(isolation: .readUncommitted), clientId: Self.clientId)
        client.callbacks.failed = { [unowned self] in note($0) }
    }

    static let clientId = "tideline-admin"

    func connect(timeout: Duration) throws(LogError) {
        let deadline = ContinuousClock.now + timeout
        // What earlier attempts met stands: librdkafka tells the same failure once.
        while true {
            let left = deadline - .now
            if client.hasBroker(timeout: min(max(left, .zero), .milliseconds(500))) { return }
            serveEvents()
            guard left > .zero else { break }
        }
        let tried = failures.isEmpty ? "nothing was refused, nothing answered" : failures.joined(separator: "; ")
        throw LogError(.unreachable, name: "_TRANSPORT", tried, isRetriable: true)
    }

    /// Errors wait in a queue until they are served. Nobody polls an admin, so every request does it.
    func serveEvents() {
        rd_kafka_poll(client.pointer, 0)
        if let committedReader { rd_kafka_poll(committedReader.pointer, 0) }
    }

    /// Keeps what went wrong, each thing once: without the time that it took and how often it was told, and without
    /// librdkafka's word that all brokers are down, which says nothing more.
    private func note(_ failure: LogError) {
        let text = String(
            failure.message.prefix(
                upTo: failure.message.firstRange(of: " (after ")?.lowerBound ?? failure.message.endIndex))
        guard !failures.contains(text), !text.contains("brokers are down") else { return }
        failures = failures.suffix(Self.failuresMax - 1) + [text]
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
