package import RecordLog

/// The address of a cluster, and how its clients are set up.
package struct RdKafkaSettings: Sendable {
    /// Called on any of librdkafka's threads; must be quick and must not call into this module.
    ///
    /// - Parameters:
    ///   - level: syslog's, 0 (emergency) to 7 (debug).
    ///   - facility: librdkafka's name of what it is about, e.g. `FAIL`.
    package typealias Log = @Sendable (_ level: Int, _ facility: String, _ message: String) -> Void

    /// `host:port`, several separated by commas.
    package var bootstrapServers: String
    /// Further librdkafka properties by name, stronger than this module's defaults. One that only producers know is
    /// not given to consumers, and the other way round. `validate()` tells which are not allowed.
    package var properties: [String: String]
    /// `nil` means that librdkafka's log is dropped.
    package var log: Log?
    package var statistics: Statistics?
    /// The memory that the process is to have, in bytes, by which queues are made smaller that nobody has given a size;
    /// `nil` stands for any.
    package var memoryLimit: Int?
    /// What grants that which a client lacks, for the messages of errors; `nil` stands for Kafka's own tools.
    package var grants: Grants?

    package init(
        bootstrapServers: String, properties: [String: String] = [:], log: Log? = nil, statistics: Statistics? = nil,
        memoryLimit: Int? = nil
    ) {
        self.bootstrapServers = bootstrapServers
        self.properties = properties
        self.log = log
        self.statistics = statistics
        self.memoryLimit = memoryLimit
    }

    /// librdkafka's own measurements of each consumer and producer, as JSON (its STATISTICS.md).
    package struct Statistics: Sendable {
        package var interval: Duration
        /// Called on the thread that owns the port, inside its calls.
        package var report: @Sendable (_ json: String) -> Void

        package init(every interval: Duration, report: @escaping @Sendable (_ json: String) -> Void) {
            self.interval = interval
            self.report = report
        }
    }

    /// A property that cannot be used, and why.
    package struct Problem: Hashable, Sendable, CustomStringConvertible {
        package var property: String
        package var reason: String

        package init(property: String, reason: String) {
            self.property = property
            self.reason = reason
        }

        package var description: String { "\(property): \(reason)" }
    }

    /// How long a transaction may stay open before the broker aborts it.
    package var transactionTimeout: Duration {
        let text = properties["transaction.timeout.ms"] ?? Self.transactionTimeoutDefault
        return .milliseconds(Int64(text) ?? 0)
    }

    static let transactionTimeoutDefault = "10000"
}
