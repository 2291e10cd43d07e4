import Messages
import RdKafka
import RecordLog
import Settings
import StreamRuntime

/// The topics that `bench` fills: it makes them, and removes them before it makes them anew. It never writes into a
/// topic that was there before it.
struct BenchTopics {
    let environment: Environment
    let admin: any Admin
    let partitions: Int
    /// The topics that programs beside the pipeline make.
    let ofOthers: [String]

    /// The topic of bare transactions.
    var transactions: String { environment.settings[Keys.topicPrefix] + "bench.transactions" }

    private var names: [String] {
        environment.topics.inputs + environment.topics.outputs + [transactions] + ofOthers
    }

    /// - Throws: with status 64 if one of the topics exists: somebody else may need what is in it.
    func refuseExisting() throws(CommandFailure) {
        let found = try environment.describe(names, admin)
        guard found.isEmpty else {
            throw CommandFailure(
                .usage,
                "bench fills topics of its own, and these exist: \(found.keys.sorted().joined(separator: ", "))."
                    + " Give it a broker of its own, or another --topic-prefix")
        }
    }

    func make() throws(CommandFailure) {
        let plan = TopicPlan(topics: environment.topics, partitions: Int32(partitions), replication: nil)
        do throws(LogError) {
            _ = try plan.carryOut(with: admin)
            try admin.createTopic(
                NewTopic(name: transactions, partitions: Int32(partitions)), timeout: .seconds(30))
        } catch {
            throw CommandFailure(.unavailable, "cannot create topics: \(error)")
        }
    }

    /// How far the topic of timelines has come, in offsets of all its partitions; transactions take some as well.
    func timelinesEnd() throws(CommandFailure) -> Int {
        let places = (0..<Partition(Int32(partitions))).map { TopicPartition(environment.topics.timelines, $0) }
        let ends = try environment.ask("cannot see what was published") { (timeout) throws(LogError) in
            try admin.endOffsets(of: places, isolation: .readCommitted, timeout: timeout)
        }
        return ends.values.reduce(0) { $0 + Int($1.rawValue) }
    }

    /// Removes the topics, and the internal ones of applications that wrote to them.
    func remove(_ applications: [String]) throws(CommandFailure) {
        let ofApplications = applications.flatMap { application in
            let topics = InternalTopics(applicationId: application, replication: nil)
            return [topics.exchange, topics.state]
        }
        try remove(topics: names + ofApplications)
    }

    /// Removes the topics of the programs beside the pipeline: another run of one would read what the last one wrote.
    func removeOfOthers() throws(CommandFailure) {
        try remove(topics: ofOthers)
    }

    private func remove(topics: [String]) throws(CommandFailure) {
        do throws(LogError) {
            try RdKafkaCluster(Environment.kafka(environment.settings))
                .removeTopics(topics, timeout: .seconds(60))
        } catch {
            throw CommandFailure(.unavailable, "cannot remove the topics that bench made: \(error)")
        }
    }
}
