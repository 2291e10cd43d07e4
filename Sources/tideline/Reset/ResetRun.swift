import Diagnosis
import Messages
import Pipeline
import Producers
import RdKafka
import RecordLog
import Settings
import Sinks
import StreamCore
import StreamRuntime
import Timelines

/// Looks at what a reset touches, and carries it out.
struct ResetRun {
    let environment: Environment
    let admin: any Admin
    /// `nil` stands for that of a reset that was interrupted, else for the earliest.
    let place: ResetPlace?
    /// True if the positions of sinks stay: whoever goes on with it is told.
    let keepsSinks: Bool
    let topology: Topology
    let own: InternalTopics
    /// *P* as it is to be; `nil` leaves it as it is.
    let partitions: Int32?

    private static let timeout = Duration.seconds(30)

    init(
        _ environment: Environment, _ admin: any Admin, from place: ResetPlace?, keepsSinks: Bool,
        partitions: Int32? = nil
    ) {
        self.keepsSinks = keepsSinks
        self.environment = environment
        self.admin = admin
        self.place = place
        self.partitions = partitions
        topology = Topology.widgets(
            PipelineSettings(environment.settings, environment.topics, .init(), recordLimits: [:]))
        own = InternalTopics(environment.settings)
    }

    var application: String { environment.settings[Keys.application] }

    // MARK: - The plan

    /// - Throws: with status 69 if topics are missing or no broker answers.
    func plan() throws(CommandFailure) -> ResetPlan {
        let topics = environment.topics
        let sources = topology.sources.filter(\.isRead).map(\.topic)
        let found = try environment.require([(topics.inputs, .read), (topics.outputs, .read)], admin)
        let internals = try environment.describe([own.exchange, own.state, own.reset], admin)
        let inputPartitions = sources.compactMap { found[$0]?.partitions }.max() ?? 1
        let present = internals[own.exchange]?.partitions ?? internals[own.state]?.partitions
        var plan = ResetPlan(application: application, partitions: partitions ?? present ?? inputPartitions)
        plan.place = place ?? .earliest
        plan.keepsSinks = keepsSinks
        // Before anything is read: what comes after this is not in the plan.
        plan.ends = try extent(
            of: [internals[own.state], found[topics.timelines]].compactMap(\.self).flatMap {
                places($0.name, $0.partitions)
            }
        ).ends
        let interrupted = internals[own.reset] == nil ? nil : try readJournal(into: &plan)
        plan.group = try members()
        plan.inputs = try sources.map { (topic) throws(CommandFailure) in
            try input(topic, partitions: found[topic]?.partitions ?? 0, from: plan.place)
        }
        plan.committed = try committed(plan.inputs, exchange: internals[own.exchange]?.partitions ?? 0)
        for name in [own.exchange, own.state] {
            guard let topic = internals[name] else { continue }
            plan.internals.append(
                .init(
                    name: name, partitions: topic.partitions,
                    records: try extent(of: places(name, topic.partitions)).records))
        }
        try readState(internals[own.state], interrupted, into: &plan)
        keepSettings(internals, interrupted, into: &plan)
        try read(environment.topics.timelines) { plan.revisions.note(timeline: $0.key, $0.value) }
        try readConfigurations(into: &plan)
        return plan
    }

    /// The living members of the group, in words.
    private func members() throws(CommandFailure) -> [String] {
        try environment.ask("cannot ask who is in the group") { (timeout) throws(LogError) in
            guard let members = try admin.members(of: application, timeout: timeout) else {
                throw LogError(.unsupported, name: "UNSUPPORTED", "the cluster does not tell who is in a group")
            }
            return members.map { $0.instance.map { "\($0) (a named instance)" } ?? $0.clientId }
        }
    }

    func places(_ topic: String, _ partitions: Int32) -> [TopicPartition] {
        (0..<Partition(partitions)).map { TopicPartition(topic, $0) }
    }

    typealias Extent = (starts: [TopicPartition: Offset], ends: [TopicPartition: Offset], records: Int64)

    func extent(of places: [TopicPartition]) throws(CommandFailure) -> Extent {
        try environment.ask("cannot see how much there is") { (timeout) throws(LogError) in
            let starts = try admin.startOffsets(of: places, timeout: timeout)
            let ends = try admin.endOffsets(of: places, isolation: .readUncommitted, timeout: timeout)
            return (starts, ends, Self.records(from: starts, to: ends))
        }
    }

    private static func records(from starts: [TopicPartition: Offset], to ends: [TopicPartition: Offset]) -> Int64 {
        ends.reduce(0) { $0 + max(0, $1.value.rawValue - (starts[$1.key]?.rawValue ?? 0)) }
    }

    /// An instant counts for telemetry alone: of a compacted topic, what lies before it is still in force.
    private func input(
        _ topic: String, partitions: Int32, from place: ResetPlace
    ) throws(CommandFailure) -> ResetPlan.Input {
        let places = places(topic, partitions)
        let (starts, ends, records) = try extent(of: places)
        guard case .at(let instant) = place, topic == environment.topics.telemetry else {
            return .init(topic: topic, starts: starts, records: records, isMoved: false)
        }
        let purpose = "cannot ask for the records of \(instant.rfc3339)"
        let moved = try environment.ask(purpose) { (timeout) throws(LogError) in
            try admin.offsets(of: places, at: instant, timeout: timeout)
        }
        return .init(topic: topic, starts: moved, records: Self.records(from: moved, to: ends), isMoved: true)
    }

    private func committed(_ inputs: [ResetPlan.Input], exchange: Int32) throws(CommandFailure) -> Int {
        let all = inputs.flatMap { $0.starts.keys }.sorted() + places(own.exchange, exchange)
        return try environment.ask("cannot ask for the group's offsets") { (timeout) throws(LogError) in
            // A handle that waits for nobody's transaction.
            let reader = try environment.cluster.makeConsumer(
                group: application, isolation: .readUncommitted, clientId: application + "-reset")
            defer { reader.close() }
            return try reader.committed(all, timeout: timeout).count
        }
    }

    /// - Throws: with status 70 if a member of the group is alive.
    func requireNobody() throws(CommandFailure) {
        let alive = try members()
        guard !alive.isEmpty else { return }
        throw CommandFailure(
            .software,
            "\(alive.count.counted("member")) of the group \(application) alive: \(alive.joined(separator: ", ")). Stop"
                + " all processes first; one that was killed counts as alive for session.timeout")
    }
}
