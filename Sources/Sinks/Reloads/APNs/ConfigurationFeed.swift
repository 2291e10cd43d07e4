import Messages
import RecordLog

/// Reads the configurations, which are compacted: from the beginning at each start, then whatever comes.
final class ConfigurationFeed {
    private let reader: TopicReader
    private let context: SinkContext<DeliveryNotice>
    private var parser = JSONParser()
    private var isStarted = false
    private var partitionsSeen = Duration.zero
    /// The number of unusable records. The first ones are told one by one; a topic may hold any number of them.
    private var unusable = 0
    private static let unusableToldMax = 100

    init(topic: String, _ context: SinkContext<DeliveryNotice>) throws(LogError) {
        self.context = context
        reader = try context.makeReader(of: topic)
    }

    func close() {
        reader.close()
    }

    /// Reads what was committed when this was called; waits while the brokers are away.
    ///
    /// - Returns: false if it was stopped first.
    func catchUp(_ tokens: inout PushTokens) throws(DeliveryError) -> Bool {
        do throws(LogError) {
            if !isStarted {
                guard try reader.start() != nil else { return false }
                isStarted = true
                partitionsSeen = context.clock.now
            }
            guard let ends = presentEnds() else { return false }
            let isRead = try reader.read(
                to: ends, maximum: context.reading.batchMaximum, timeout: context.reading.pollTimeout,
                failed: { context.notice(.log($0)) }, each: { view, _ in read(view, &tokens) })
            guard isRead else { return false }
        } catch {
            throw .log(error)
        }
        tokens.forgetUnnamed()
        return true
    }

    /// Reads what is there without waiting.
    func keepUp(_ tokens: inout PushTokens) throws(DeliveryError) {
        do throws(LogError) {
            try reader.poll(
                maximum: context.reading.batchMaximum, timeout: .zero, failed: { context.notice(.log($0)) },
                each: { view, _ in read(view, &tokens) })
        } catch {
            throw .log(error)
        }
    }

    /// Returns the ends of now, of new partitions, too; `nil` if it was stopped while the brokers were away.
    private func presentEnds() -> [Partition: Offset]? {
        while true {
            do throws(LogError) {
                if context.clock.now - partitionsSeen >= context.reading.partitionInterval {
                    partitionsSeen = context.clock.now
                    if let total = try reader.lookForPartitions() {
                        context.notice(.newPartitions(topic: reader.topic, total: total))
                    }
                }
                return try reader.ends(.readCommitted)
            } catch {
                context.notice(.log(error))
            }
            if context.shouldStop() { return nil }
            context.clock.wait(for: .seconds(1))
        }
    }

    private func read(_ record: RecordView, _ tokens: inout PushTokens) {
        let key = record.key.map { String(decoding: $0, as: UTF8.self) } ?? ""
        guard let value = record.value else { return tokens.remove(key) }
        do throws(MessageProblem) {
            let reading = try PushRegistration.read(value, with: &parser)
            switch reading.push {
            case .success(let push):
                tokens.register(reading.configurationId, push, timestamp: record.timestamp)
            case .failure(let problem):
                tokens.remove(reading.configurationId)
                noticeUnusable(reading.configurationId, problem)
            case nil: tokens.remove(reading.configurationId)
            }
        } catch {
            // The pipeline makes it a dead letter; what was known before stays, there and here.
            noticeUnusable(key, error)
        }
    }

    private func noticeUnusable(_ id: String, _ problem: MessageProblem) {
        unusable += 1
        guard unusable <= Self.unusableToldMax else { return }
        context.notice(.unusablePush(configuration: id, reason: problem.description))
    }
}
