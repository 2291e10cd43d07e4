package import Messages
package import RecordLog
package import Timelines

/// The configurations that the topics hold, each with what its newest timeline says.
///
/// Records that cannot be read are passed over and counted. Those of configurations are among the dead letters.
package struct ConfigurationList: ~Copyable {
    package static let fields = [
        "configurationId", "kind", "family", "recipient", "strategy", "vehicleId", "calendarIds", "timeZone", "push",
        "problem", "revision", "phase", "generatedAt", "nextUpdate", "budget", "topic", "partition", "offset",
    ]

    /// What a list needs of a configuration.
    struct Configuration {
        var message: ConfigurationMessage
        var hasPush: Bool
    }

    /// What a list needs of a timeline.
    struct Shown {
        var revision: Revision
        var generatedAt: Instant
        var nextUpdate: Instant?
        var budget: Int64?
        var phases: [(date: Instant, phase: TimelineEntry.Phase)]
    }

    package private(set) var unread = UnreadRecords()
    private let kinds: WidgetKinds
    private var configurations = LatestRecords<Configuration>()
    private var timelines = LatestRecords<Shown>()
    private var parser = JSONParser()

    /// - Parameter kinds: the declared kinds, whose rules decide which configurations can be used.
    package init(kinds: WidgetKinds) {
        self.kinds = kinds
    }

    /// Takes a record of the topic of configurations.
    package mutating func apply(configuration view: RecordView, of topic: String) {
        guard let value = view.value else { return configurations.put(view, of: topic, nil) }
        let bytes = ConfluentFraming.skipped(value)
        do throws(MessageProblem) {
            let message = try ConfigurationMessage.decode(bytes, kinds: kinds, with: &parser)
            let hasPush = try PushRegistration.read(bytes, with: &parser).push != nil
            configurations.put(view, of: topic, Configuration(message: message, hasPush: hasPush))
        } catch {
            unread.add(view, of: topic, error)
        }
    }

    /// Takes a record of the topic of timelines.
    package mutating func apply(timeline view: RecordView, of topic: String) {
        guard let value = view.value else { return timelines.put(view, of: topic, nil) }
        do throws(MessageProblem) {
            let record = try TimelineRecord.decode(value, with: &parser)
            let phases = record.timeline.entries.map { ($0.date, $0.phase) }
            timelines.put(
                view, of: topic,
                Shown(
                    revision: record.revision, generatedAt: record.generatedAt, nextUpdate: record.timeline.nextUpdate,
                    budget: record.budget?.remaining, phases: phases))
        } catch {
            unread.add(view, of: topic, error)
        }
    }

    /// The configurations, ascending by id.
    ///
    /// - Parameter now: the instant whose entries in force are named.
    package func rows(at now: Instant) -> [InspectedRow] {
        let shown = Dictionary(
            timelines.values.map { ($0.key, $0.entry) }, uniquingKeysWith: { $0.timestamp >= $1.timestamp ? $0 : $1 })
        return configurations.values.map { $0.entry }.sorted {
            $0.value.message.configurationId.precedesByUTF8($1.value.message.configurationId)
        }.map { entry in
            row(entry, shown[Array(entry.value.message.configurationId.utf8)]?.value, at: now)
        }
    }

    /// The configurations by recipient, for the list of recipients.
    package func forEach(_ body: (_ message: ConfigurationMessage, _ hasPush: Bool) -> Void) {
        for entry in configurations.values.map(\.entry) { body(entry.value.message, entry.value.hasPush) }
    }

    private func row(_ entry: LatestRecords<Configuration>.Entry, _ shown: Shown?, at now: Instant) -> InspectedRow {
        var row = InspectedRow()
        let message = entry.value.message
        row.add("configurationId", message.configurationId)
        row.add("kind", message.kind)
        switch message {
        case .usable(let configuration):
            row.add("family", configuration.family.rawValue)
            row.add("recipient", configuration.recipient)
            row.add("strategy", configuration.strategyName)
            row.add("vehicleId", configuration.vehicleId)
            row.add("calendarIds", configuration.calendarIds)
            row.add("timeZone", configuration.timeZone)
        case .unusable(let unusable):
            row.add("family", unusable.family.rawValue)
            row.add("recipient", unusable.recipient)
        }
        row.add("push", .bool(entry.value.hasPush))
        if case .unusable(let unusable) = message {
            row.add("problem", "\(unusable.problem.key): \(unusable.problem.message)")
        }
        if let shown {
            row.add("revision", shown.revision.rawValue)
            row.add("phase", (shown.phases.last { $0.date <= now } ?? shown.phases.first)?.phase.rawValue)
            row.add("generatedAt", shown.generatedAt)
            row.add("nextUpdate", shown.nextUpdate)
            row.add("budget", shown.budget)
        }
        row.add(entry.place)
        return row
    }
}

extension WidgetConfiguration {
    /// The name by which configurations choose the strategy.
    package var strategyName: String { type(of: strategy).name }
}
