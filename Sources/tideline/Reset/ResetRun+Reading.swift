import Diagnosis
import Messages
import Pipeline
import Producers
import RecordLog
import Settings
import StreamCore
import StreamRuntime
import Timelines

/// What a reset reads before it shows what it would do.
extension ResetRun {
    /// Reads what an earlier reset left behind when it was interrupted.
    ///
    /// - Returns: `nil` if none was: then nothing of the topic counts.
    func readJournal(into plan: inout ResetPlan) throws(CommandFailure) -> ResetJournal? {
        let revisions = CarriedRevisions()
        var bytes: [UInt8]?
        try read(own.reset) { view in
            if view.key?.elementsEqual(ResetJournal.key) == true {
                bytes = view.value.map { Array($0) }
            } else {
                revisions.note(changelog: view.key, view.value)
            }
        }
        guard let bytes else { return nil }
        let journal = try attempt("cannot go on with a reset that was interrupted") { () throws(LogError) in
            try ResetJournal(bytes, topic: own.reset)
        }
        plan.isInterrupted = true
        plan.revisions = revisions
        plan.partitions = partitions ?? journal.partitions
        plan.place = place ?? journal.place.flatMap { ResetPlace(argument: $0) } ?? .earliest
        plan.keptSinks = journal.keepsSinks ?? false
        return journal
    }

    /// - Parameter state: `nil` if it has gone.
    func readState(
        _ state: TopicDescription?, _ interrupted: ResetJournal?, into plan: inout ResetPlan
    ) throws(CommandFailure) {
        let revisions = plan.revisions
        var writers = Set(interrupted?.writers ?? [])
        var headers: [Partition: StateHeader] = [:]
        if state != nil {
            try read(own.state) { view in
                revisions.note(changelog: view.key, view.value)
                guard let key = view.key, key.count == 1, key[0] == 0, let value = view.value else { return }
                headers[view.partition] = Self.header(in: value, topology)
            }
        }
        for header in headers.values { writers.formUnion(header.writers) }
        let wanted = plan.partitions
        plan.carriedTasks = headers.values.count { $0.partitions == wanted }
        // The first one is this application.
        plan.writers = ["/" + application] + writers.subtracting(["/" + application]).sorted()
    }

    /// What the positions of a task say of it; nothing if they cannot be read, for then they are given up, too.
    private static func header(in value: UnsafeRawBufferPointer, _ topology: Topology) -> StateHeader? {
        let positions = TaskPositions()
        var reader = ByteReader(value)
        do throws(CorruptBytes) {
            try positions.restore(of: topology.sources, from: &reader)
            return positions.header
        } catch {
            return nil
        }
    }

    /// The settings that somebody gave the internal topics stay, if processes do not refuse them.
    func keepSettings(
        _ found: [String: TopicDescription], _ interrupted: ResetJournal?, into plan: inout ResetPlan
    ) {
        let facts = own.facts(found.mapValues { .topic($0) })
        for topic in [own.exchangeTopic(plan.partitions), own.stateTopic(plan.partitions)] {
            let made = topic.settings.reduce(into: [:]) { $0[$1.key] = $1.value }
            var settings = interrupted?.settings[topic.name] ?? made
            // Topics that an interrupted reset made anew have no more than it gave them.
            if interrupted == nil, let there = found[topic.name] {
                let refused = facts.first { $0.name == topic.name }?.differences.map(\.key) ?? []
                for key in there.given.subtracting(refused) { settings[key] = there.settings[key] }
            }
            plan.settings[topic.name] = settings
            // As many copies as there are, unless a setting says how many.
            let before = interrupted.map { $0.replication?[topic.name] } ?? found[topic.name]?.replication
            plan.replication[topic.name] = topic.replication ?? before
            if topic.replication == nil, let before { plan.kept.append("\(before) replicas of \(topic.name)") }
            let others = settings.filter { made[$0.key] != $0.value }.sorted { $0.key < $1.key }
            plan.kept += others.map { "\($0.key) \($0.value) of \(topic.name)" }
        }
    }

    func readConfigurations(into plan: inout ResetPlan) throws(CommandFailure) {
        let topic = environment.topics.configurations
        let published = try environment.readToEnd(topic) { progress throws(LogError) in
            try PublishedConfigurations.read(
                topic: topic, of: environment.cluster, clock: SleepingClock(),
                shouldStop: { Signals.isStopRequested }, progress: progress)
        }
        guard let published else { throw environment.stopped("cannot read \(topic)") }
        let recipients = published.kinds.map { published.recipients(of: $0) }
        plan.configurations = recipients.reduce(0) { $0 + $1.values.reduce(0, +) }
        plan.recipients = Set(recipients.flatMap(\.keys)).count
    }

    func read(_ topic: String, _ each: (RecordView) -> Void) throws(CommandFailure) {
        let isRead = try environment.readToEnd(topic) { progress throws(LogError) in
            try TopicReader.readAll(
                of: topic, cluster: environment.cluster, clientId: application + "-reset",
                requests: environment.requests, patience: .seconds(60), progress: progress
            ) { view, _ in each(view) }
        }
        if isRead != true { throw environment.stopped("cannot read \(topic)") }
    }
}
