import CRdKafka
import Glibc
import RecordLog
import Synchronization

/// Requests about topics, offsets and groups, on consumer instances that are in no group: unlike a producer, a
/// consumer does not make the brokers create the topics that it asks about.
///
/// `Sendable` although its handles are not: librdkafka takes requests of several threads at once, each answer comes by
/// a queue of its own, and what changes is guarded.
final class RdKafkaAdmin: Admin, @unchecked Sendable {
    let client: ClientHandle
    let settings: RdKafkaSettings
    /// Ends by isolation need an instance of that isolation: made when asked for. Guarded by `making`.
    private var committedReader: ClientHandle?
    private let making = Mutex(())
    /// The failures of all attempts to connect.
    private let attempts = Mutex(ConnectionAttempts())

    /// What brokers let a transaction last at most: `nil` until it was asked for. No broker changes it while it runs.
    let knownTransactionLimit = Mutex<TransactionLimit?>(nil)

    init(_ settings: RdKafkaSettings) throws(LogError) {
        self.settings = settings
        client = try settings.makeClient(.admin(isolation: .readUncommitted), clientId: Self.clientId)
        client.callbacks.failed = { [unowned self] failure in attempts.withLock { $0.note(beneath: failure) } }
    }

    static let clientId = "tideline-admin"

    func connect(timeout: Duration) throws(LogError) {
        let deadline = ContinuousClock.now + timeout
        // What earlier attempts met stands: librdkafka tells the same failure once.
        while true {
            do throws(LogError) {
                return try client.askForBroker(timeout: min(max(deadline - .now, .zero), .milliseconds(500)))
            } catch {
                attempts.withLock { $0.note(error) }
            }
            serveEvents()
            let left = deadline - .now
            guard left > .zero else { break }
            // A server that is no broker makes every request fail at once.
            usleep(UInt32(min(left, Self.pause).milliseconds) * 1000)
        }
        throw LogError(.unreachable, name: "_TRANSPORT", attempts.withLock { $0.description }, isRetriable: true)
    }

    private static let pause = Duration.milliseconds(100)

    func clusterId(timeout: Duration) throws(LogError) -> String {
        serveEvents()
        guard let text = rd_kafka_clusterid(client.pointer, max(1, timeout.milliseconds)) else {
            throw LogError(RD_KAFKA_RESP_ERR__TIMED_OUT, about: "the cluster's id")
        }
        defer { rd_kafka_mem_free(client.pointer, text) }
        return String(cString: text)
    }

    /// Errors wait in a queue until they are served. Nobody polls an admin, so every request does it.
    func serveEvents() {
        rd_kafka_poll(client.pointer, 0)
        if let reader = madeReader { rd_kafka_poll(reader.pointer, 0) }
    }

    private var madeReader: ClientHandle? {
        var made: ClientHandle?
        making.withLock { _ in made = committedReader }
        return made
    }

    func reader(isolation: IsolationLevel) throws(LogError) -> ClientHandle {
        guard isolation == .readCommitted else { return client }
        var reader: ClientHandle?
        try making.withLock { (_) throws(LogError) in
            if committedReader == nil {
                committedReader = try settings.makeClient(.admin(isolation: isolation), clientId: Self.clientId)
            }
            reader = committedReader
        }
        guard let reader else { preconditionFailure("A reader was made.") }
        return reader
    }

    func close() {
        madeReader?.destroy()
        client.destroy()
    }
}
