import Messages
import RecordLog

/// Reads the configurations, which are compacted: from the beginning at each start, then whatever comes.
final class ConfigurationFeed {
    private let reader: TopicReader
    private let settings: ReloadSinkSettings
    private let clock: any ReloadSinkClock
    private let shouldStop: () -> Bool
    private let notice: (ReloadSinkNotice) -> Void
    private var parser = JSONParser()
    private var isStarted = false
    private var partitionsSeen = Duration.zero
    /// Told one by one at first; a topic may hold any number of them.
    private var unusableTold = 0
    private static let unusableToldMax = 100

    init(
        topic: String, settings: ReloadSinkSettings, cluster: any Cluster, admin: any Admin,
        clock: any ReloadSinkClock, shouldStop: @escaping () -> Bool, notice: @escaping (ReloadSinkNotice) -> Void
    ) throws(LogError) {
        self.settings = settings
        self.clock = clock
        self.shouldStop = shouldStop
        self.notice = notice
        reader = try TopicReader(
            topic, cluster: cluster, admin: admin, clientId: settings.clientId,
            requests: settings.requests(clock, shouldStop))
    }

    func close() {
        reader.close()
    }

    /// Reads what was committed when this was called; waits while the brokers are away.
    ///
    /// - Returns: false where it was stopped first.
    func catchUp(_ tokens: inout PushTokens) throws(ReloadSinkError) -> Bool {
        do throws(LogError) {
            if !isStarted {
                try reader.start()
                isStarted = true
                partitionsSeen = clock.now
            }
        } catch {
            if error.isRetriable, shouldStop() { return false }
            throw .log(error)
        }
        guard let ends = endsOfNow() else { return false }
        while !reader.hasReached(ends) {
            if shouldStop() { return false }
            try read(&tokens, timeout: settings.pollTimeout)
        }
        tokens.forgetUnnamed()
        return true
    }

    /// Reads what is there without waiting.
    func keepUp(_ tokens: inout PushTokens) throws(ReloadSinkError) {
        try read(&tokens, timeout: .zero)
    }

    /// Nil where it was stopped while the brokers were away.
    private func endsOfNow() -> [Partition: Offset]? {
        while true {
            do throws(LogError) {
                if clock.now - partitionsSeen >= settings.partitionInterval {
                    partitionsSeen = clock.now
                    if let total = try reader.lookForPartitions() {
                        notice(.newPartitions(topic: reader.topic, total: total))
                    }
                }
                return try reader.ends(.readCommitted)
            } catch {
                notice(.log(error))
            }
            if shouldStop() { return nil }
            clock.wait(for: .seconds(1))
        }
    }

    private func read(_ tokens: inout PushTokens, timeout: Duration) throws(ReloadSinkError) {
        let records: [Record]
        do throws(LogError) {
            records = try reader.poll(
                maximum: settings.batchMaximum, timeout: timeout, failed: { notice(.log($0)) })
        } catch {
            throw .log(error)
        }
        for record in records { take(record, &tokens) }
    }

    private func take(_ record: Record, _ tokens: inout PushTokens) {
        let key = String(decoding: record.key ?? [], as: UTF8.self)
        guard let value = record.value else { return tokens.remove(key) }
        do throws(MessageProblem) {
            let reading = try value.decoded { (bytes) throws(MessageProblem) in
                try PushRegistration.read(bytes, with: &parser)
            }
            switch reading.push {
            case .success(let push):
                tokens.register(reading.configurationId, push, timestamp: record.timestamp)
            case .failure(let problem):
                tokens.remove(reading.configurationId)
                tellUnusable(reading.configurationId, problem)
            case nil: tokens.remove(reading.configurationId)
            }
        } catch {
            // The pipeline makes it a dead letter; what was known before stays, there and here.
            tellUnusable(key, error)
        }
    }

    private func tellUnusable(_ id: String, _ problem: MessageProblem) {
        unusableTold += 1
        guard unusableTold <= Self.unusableToldMax else { return }
        notice(.unusablePush(configuration: id, reason: problem.description))
    }
}
