/// How many descriptors the verbs cannot do without, on a cluster of one broker: each handle of librdkafka has three
/// for each broker, and two of its own.
enum Descriptors {
    static func ofProcess(streamThreads: Int) -> Int { 56 + 16 * streamThreads }
    static let ofSink = 32
    static let ofDeliveries = 64
    static let ofServe = 64
}
