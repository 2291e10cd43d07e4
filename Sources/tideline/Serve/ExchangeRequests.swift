import Foundation
import Gateway
import Pipeline
import RecordLog
import StreamRuntime
import Synchronization

/// Requests for reloads as the pipeline reads them: one record in each partition of its exchange, for each task has
/// some of the configurations.
final class ExchangeRequests: ReloadRequests {
    private let topics: InternalTopics
    private let cluster: any Cluster
    /// The partitions of the exchange, which never change; `nil` until they are known.
    private let partitions = Mutex<Int32?>(nil)
    /// Asks the brokers: requests wait on this thread, and never one of the server's.
    private let queue = DispatchQueue(label: "exchange")

    init(_ topics: InternalTopics, of cluster: any Cluster) {
        self.topics = topics
        self.cluster = cluster
    }

    func make(
        kind: String, recipients: [String]?,
        completion: @escaping @Sendable (Result<[OutgoingRecord], LogError>) -> Void
    ) {
        let requests = recipients?.map { ReloadRequest(kind: kind, recipient: $0) } ?? [ReloadRequest(kind: kind)]
        if let known = partitions.withLock({ $0 }) { return completion(.success(records(requests, known))) }
        queue.async { [self] in
            do throws(LogError) {
                completion(.success(records(requests, try count())))
            } catch {
                completion(.failure(error))
            }
        }
    }

    private func records(_ requests: [ReloadRequest], _ partitions: Int32) -> [OutgoingRecord] {
        requests.flatMap { request in
            let envelope = request.envelope
            return (0..<Partition(partitions)).map { partition in
                OutgoingRecord(topic: topics.exchange, key: nil, value: envelope, partition: partition)
            }
        }
    }

    private func count() throws(LogError) -> Int32 {
        if let known = partitions.withLock({ $0 }) { return known }
        let admin = try cluster.makeAdmin()
        defer { admin.close() }
        guard let found = try admin.describeTopics([topics.exchange], timeout: .seconds(5))[topics.exchange] else {
            throw LogError(
                .unknownTopicOrPartition, name: "UNKNOWN_TOPIC_OR_PART",
                "the application has never run: 'tideline process' makes its topic \(topics.exchange)")
        }
        partitions.withLock { $0 = found.partitions }
        return found.partitions
    }
}
