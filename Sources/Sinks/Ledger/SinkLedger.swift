import RecordLog
import Timelines

/// Keeps what a sink has to know after a restart: its positions, other entries of its own, and which instance of it
/// runs. It lies in a compacted topic of one partition, and is written together with records of other topics in one
/// transaction: dead letters of a sink of reloads, timelines of a sink that writes to a topic.
///
/// Keys: `position/NAME/TOPIC/PARTITION`, `place/…` and `choice/…` alike, `commit/OWNER`, and the sink's own, such
/// as `retired/NAME/…` and `address/NAME/…`. A position is an offset alone, as earlier releases read it; the place
/// beside it says of which cluster and which topic it is one (`LedgerPlace`), the choice by which records were taken
/// (`OFFSET DIGEST`).
///
/// Each instance writes its own name into `commit/OWNER` when it opens the ledger, and into `commit/NAME`, where
/// earlier releases look. So an instance whose producer failed can tell whether a newer one has taken its place, of
/// whatever sink, and by the number beside whether its last commit came through.
final class SinkLedger {
    let settings: LedgerSettings
    let instance: String
    let context: SinkContext<LedgerNotice>
    /// Brokers make a topic before they answer.
    private static let creationTimeout = Duration.seconds(5)

    var producer: (any TransactionalProducer)?
    /// The number of the last commit that is known to have come through.
    var number: Int64 = 0
    private(set) var positions: [Partition: SinkPosition] = [:]
    var isTransactionOpen = false
    /// True if a commit was stopped while it was waited for: the next call goes on with it.
    var isCommitting = false
    /// True if the producer has failed and the outcome of its commit is not known: the next call finds out first.
    var isUnsettled = false
    /// True if the producer can be used.
    var isOpen: Bool { producer != nil && hasOpened }
    private var hasOpened = false

    init(_ settings: LedgerSettings, instance: String, _ context: SinkContext<LedgerNotice>) {
        self.settings = settings
        self.instance = instance
        self.context = context
    }

    /// A record that goes to another topic, to the partition that its key decides.
    struct OutputRecord: Hashable, Sendable {
        var topic: String
        var key: [UInt8]?
        var value: [UInt8]?
        var headers: [Header]
        /// Its headers without the value, where it may go so if its topic does not take it; `nil` if it may not.
        var headersAlone: [Header]?

        var keyAndValueCount: Int { (key?.count ?? 0) + (value?.count ?? 0) }

        var byteCount: Int {
            keyAndValueCount
                + headers.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.count ?? 0) }
        }
    }

    /// The entries that one transaction writes.
    struct Entries {
        var positions: [Partition: SinkPosition] = [:]
        /// Keys without the sink's name; a nil value removes.
        var changes: [(key: String, value: [UInt8]?)] = []
        /// In the order in which they are written.
        var records: [OutputRecord] = []

        var isEmpty: Bool { positions.isEmpty && changes.isEmpty && records.isEmpty }

        /// Takes the values away from records of the topic that are as large as the one which it refused, or from the
        /// largest: brokers count what a batch adds.
        ///
        /// - Returns: false if there is none: nothing has changed then.
        mutating func spare(_ refused: RefusedRecord?) -> Bool {
            guard let refused else { return false }
            let candidates = records.indices.filter {
                records[$0].topic == refused.topic && records[$0].headersAlone != nil
            }
            guard let largest = candidates.map({ records[$0].byteCount }).max() else { return false }
            for index in candidates where records[index].byteCount >= min(refused.bytes, largest) {
                records[index].value = nil
                records[index].headers = records[index].headersAlone ?? []
                records[index].headersAlone = nil
            }
            return true
        }
    }

    // MARK: - Opening

    /// 1. Makes the topic if it is missing.
    /// 2. Fences every other instance of this owner, which settles what it left open.
    /// 3. Reads what is kept, and writes who runs now.
    ///
    /// - Returns: the sink's own entries by key without the sink's name; `nil` if it was stopped first.
    func open() throws(LedgerError) -> TextDictionary<[UInt8]>? {
        guard try prepareTopic() else { return nil }
        guard try initialise() else { return nil }
        guard let kept = try read() else { return nil }
        // What an earlier call left open is settled by now.
        isUnsettled = false
        number = kept.number
        positions = kept.positions
        guard try commit(Entries(), isOpening: true) else { return nil }
        hasOpened = true
        return kept.others
    }

    func close() {
        producer?.destroy()
        producer = nil
    }

    /// - Returns: false if it was stopped first.
    private func prepareTopic() throws(LedgerError) -> Bool {
        let name = settings.topic
        do throws(LogError) {
            let found = try context.requests.persistently { (timeout) throws(LogError) in try describe(timeout) }
            guard let found else { return false }
            if found == nil, try !createTopic() { return false }
        } catch {
            throw .log(error)
        }
        guard let found = try awaitTopic() else { return false }
        if let policy = found.settings["cleanup.policy"], policy != "compact" {
            let remedy = settings.remedy.map { ": \($0)" } ?? ""
            throw .topic(name, problem: "has cleanup.policy \(policy), must be compact\(remedy)")
        }
        if found.partitions != 1 { throw .topic(name, problem: "has \(found.partitions) partitions, must have 1") }
        return true
    }

    /// - Returns: false if it was stopped first.
    private func createTopic() throws(LogError) -> Bool {
        let topic = NewTopic(
            name: settings.topic, partitions: 1, replication: settings.replication,
            settings: [.init("cleanup.policy", "compact")])
        do throws(LogError) {
            let answer: Void? = try context.requests.persistently { (_) throws(LogError) in
                try context.admin.createTopic(topic, timeout: Self.creationTimeout)
            }
            return answer != nil
        } catch {
            // Another sink was faster, or an attempt came through whose answer did not.
            guard error.code == .topicAlreadyExists else { throw error }
            return true
        }
    }

    private func describe(_ timeout: Duration) throws(LogError) -> TopicDescription? {
        try context.admin.describeTopics([settings.topic], timeout: timeout)[settings.topic]
    }

    /// What was made is not seen at once by every broker.
    private func awaitTopic() throws(LedgerError) -> TopicDescription? {
        for _ in 0..<100 {
            do throws(LogError) {
                if let found = try describe(context.reading.requestTimeout) { return found }
            } catch {
                if !error.isRetriable { throw .log(error) }
            }
            if context.shouldStop() { return nil }
            context.clock.wait(for: .milliseconds(100))
        }
        throw .topic(settings.topic, problem: "was made but is not seen")
    }

    /// The commit of these entries came through.
    func committed(_ entries: Entries) {
        number += 1
        positions.merge(entries.positions) { $1 }
    }
}
