import Inspection
import Messages
import RecordLog
import Settings
import Timelines

/// Reads what an explanation needs from the topics. Owned by one thread, which it blocks.
final class ExplainReading {
    /// The ids of all configurations that the topic holds.
    private(set) var ids: [String] = []
    private let id: String
    private let environment: Environment
    private var unread = UnreadRecords()
    private var parser = JSONParser()

    init(_ id: String, _ environment: Environment) {
        self.id = id
        self.environment = environment
    }

    func facts(at: Instant) throws(CommandFailure) -> ExplainedFacts {
        let topics = environment.topics
        let admin = try environment.connect()
        defer { admin.close() }
        try environment.require(
            [topics.configurations, topics.timelines, topics.reloads, topics.deadLetters], admin)
        var facts = ExplainedFacts(id, at: at, topics: topics, terms: environment.settings.terms(of: ""))
        try readConfiguration(&facts)
        if let configuration = facts.configuration?.value {
            facts.terms = environment.settings.terms(of: configuration.kind)
        }
        try readTimelines(&facts)
        try readReloads(&facts)
        try readDeadLetters(&facts)
        environment.warn(of: unread)
        for source in facts.newest?.value.sources ?? [] {
            do throws(LogError) {
                facts.sources[source] = try environment.record(at: source)
            } catch {
                writeError("warning: cannot read \(source.text): \(error)")
            }
        }
        return facts
    }

    private func readConfiguration(_ facts: inout ExplainedFacts) throws(CommandFailure) {
        let topic = environment.topics.configurations
        let kinds = environment.settings[Keys.kinds]
        var known: Set<[UInt8]> = []
        var latest = LatestPlace()
        try environment.readRecords(of: topic) { view, _ in
            guard let key = view.key else { return }
            let place = SourceOffset(topic, view)
            let isAsked = key.elementsEqual(id.utf8)
            if isAsked, !latest.takes(view) { return }
            guard let value = view.value else {
                known.remove(Array(key))
                if isAsked { (facts.configuration, facts.deletion) = (nil, place) }
                return
            }
            known.insert(Array(key))
            guard isAsked else { return }
            do throws(MessageProblem) {
                let message = try ConfigurationMessage.decode(
                    ConfluentFraming.skipped(value), kinds: kinds, with: &parser)
                (facts.configuration, facts.deletion) = (Placed(message, at: place), nil)
            } catch {
                unread.add(view, of: topic, error)
            }
        }
        ids = known.map { String(decoding: $0, as: UTF8.self) }.sorted { $0.precedesByUTF8($1) }
    }

    private func readTimelines(_ facts: inout ExplainedFacts) throws(CommandFailure) {
        let topic = environment.topics.timelines
        var latest = LatestPlace()
        try environment.readRecords(of: topic) { view, _ in
            guard let key = view.key, key.elementsEqual(id.utf8), latest.takes(view) else { return }
            guard let value = view.value else {
                facts.timelines = []
                return
            }
            do throws(MessageProblem) {
                let record = try TimelineRecord.decode(value, with: &parser)
                facts.timelines.append(Placed(record, at: SourceOffset(topic, view)))
            } catch {
                unread.add(view, of: topic, error)
            }
        }
    }

    private func readReloads(_ facts: inout ExplainedFacts) throws(CommandFailure) {
        let topic = environment.topics.reloads
        try environment.readRecords(of: topic) { view, _ in
            guard let value = view.value else { return }
            do throws(MessageProblem) {
                let reload = try ReloadNotification.decode(value, with: &parser)
                guard reload.configurationIds.contains(where: { $0.isSameByUTF8(as: id) }) else { return }
                facts.reloads.append(Placed(reload, at: SourceOffset(topic, view)))
            } catch {
                unread.add(view, of: topic, error)
            }
        }
        facts.reloads.sort { $0.value.issuedAt < $1.value.issuedAt }
    }

    private func readDeadLetters(_ facts: inout ExplainedFacts) throws(CommandFailure) {
        let topic = environment.topics.deadLetters
        try environment.readRecords(of: topic) { view, batch in
            guard let key = view.key, key.elementsEqual(id.utf8) else { return }
            let letter = DeadLetter(
                Record(
                    topic: topic, partition: view.partition, offset: view.offset, timestamp: view.timestamp,
                    key: Array(key), value: view.value.map { Array($0) }, headers: batch.headers(of: view)))
            if letter.origin?.topic == environment.topics.configurations { facts.deadLetters.append(letter) }
        }
    }
}
