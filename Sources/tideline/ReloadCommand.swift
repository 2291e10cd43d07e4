import Arguments
import Diagnosis
import Foundation
import Inspection
import Messages
import Observability
import Pipeline
import Producers
import RecordLog
import Settings
import StreamRuntime
import Timelines

/// Asks for the reload of all configurations of a kind.
struct ReloadCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Asks for a reload of all configurations of a kind, outside the budget.",
        discussion: """
            The running pipeline tells every recipient of the kind, with the reason 'requested', whether there is \
            something new to see or not; where none runs, it does so when it starts. Of several recipients, one that \
            has no configuration of the kind is counted and skipped; where none of them has one, nothing is asked for \
            and the exit status is 64.

            Without --recipient it asks on a terminal, and needs '--yes' elsewhere: everybody's device is woken.
            """,
        examples: [
            CommandExample("tideline reload --kind TrackerStatusWidget", "Every recipient of this kind, after asking."),
            CommandExample("tideline reload --kind DepartureBoard --recipient lobby", "One recipient alone."),
        ])

    @Option(help: ArgumentHelp("The widget kind.", valueName: "kind")) var kind: String
    @Option(help: ArgumentHelp("Only this recipient; may be repeated.", valueName: "id")) var recipient: [String] = []
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var kafka: KafkaOptions

    func execute() throws(CommandFailure) {
        let environment = try Environment(kafka)
        let admin = try environment.connect()
        defer { admin.close() }
        environment.warnOfUnknownApplication(admin)
        try environment.require([environment.topics.configurations], admin)
        guard let published = try configurations(environment) else { return }
        let known = published.recipients(of: kind)
        guard !known.isEmpty else { throw unknownKind(published.kinds, environment) }
        let wanted = Set(recipient.isEmpty ? Array(known.keys) : recipient)
        let found = wanted.filter { known[$0] != nil }
        let missing = wanted.subtracting(found).sorted { $0.precedesByUTF8($1) }
        if found.isEmpty { throw unknownRecipients(missing, known.keys) }
        let requests =
            recipient.isEmpty
            ? [ReloadRequest(kind: kind)]
            : found.sorted { $0.precedesByUTF8($1) }.map { ReloadRequest(kind: kind, recipient: $0) }
        let tasks = try tasks(environment, admin)
        if recipient.isEmpty {
            let configurations = known.values.reduce(0, +).counted("configuration")
            try Consent.require(
                for: "Reload \(configurations) of kind '\(kind)' at \(known.count.counted("recipient"))?", isGiven: yes)
        }
        try send(requests, to: tasks, environment)
        for id in missing {
            let near = NearIds.sentence(about: id, among: known.keys, plural: "recipients")
            writeError("warning: the recipient '\(id)' has no configuration of kind '\(kind)' and is skipped; \(near)")
        }
        let report = JSONWriter.object { json in
            json.string("kind", kind)
            json.integer("recipients", found.count)
            json.integer("configurations", found.reduce(0) { $0 + (known[$1] ?? 0) })
            json.integer("skipped", wanted.count - found.count)
        }
        print(report)
    }

    /// Reads the topic of configurations to its end.
    ///
    /// - Returns: what it holds; `nil` if the program is to end first.
    private func configurations(_ environment: Environment) throws(CommandFailure) -> PublishedConfigurations? {
        let topic = environment.topics.configurations
        return try environment.readToEnd(topic) { progress throws(LogError) in
            try PublishedConfigurations.read(
                topic: topic, of: environment.cluster, clock: SleepingClock(),
                shouldStop: { Signals.isStopRequested }, progress: progress)
        }
    }

    private func unknownKind(_ kinds: [String], _ environment: Environment) -> CommandFailure {
        let near =
            kinds.isEmpty
            ? "there are no configurations" : NearIds.sentence(about: kind, among: kinds, plural: "kinds")
        return CommandFailure(
            .usage, "--kind: no configuration in \(environment.topics.configurations) is of kind '\(kind)'; \(near)")
    }

    /// The failure where no recipient that was named has the kind: to end well would look as if somebody was told.
    private func unknownRecipients(_ ids: [String], _ known: some Collection<String>) -> CommandFailure {
        let each = ids.map { NearIds.unknown("recipient", $0, among: known) }
        return CommandFailure(.usage, "--recipient: of kind '\(kind)' \(each.joined(separator: "; "))")
    }

    /// The number of tasks.
    ///
    /// - Throws: with status 69 if the application has never run.
    private func tasks(_ environment: Environment, _ admin: any Admin) throws(CommandFailure) -> Int32 {
        let exchange = InternalTopics(environment.settings).exchange
        if let tasks = try environment.describe([exchange], admin, for: .write)[exchange]?.partitions { return tasks }
        let application = environment.settings[Keys.application]
        throw CommandFailure(
            .unavailable,
            "the application '\(application)' has never run: 'tideline process' makes its topic \(exchange)")
    }

    /// Sends the requests to every task, as each has some of the configurations.
    private func send(
        _ requests: [ReloadRequest], to tasks: Int32, _ environment: Environment
    ) throws(CommandFailure) {
        let exchange = InternalTopics(environment.settings).exchange
        do throws(LogError) {
            let producer = try environment.cluster.makePlainProducer(clientId: "tideline-reload")
            defer { producer.close() }
            for request in requests {
                let envelope = request.envelope
                for task in 0..<Partition(tasks) {
                    try envelope.withUnsafeBufferPointer { (bytes) throws(LogError) in
                        try producer.produce(
                            topic: exchange, partition: task, key: nil, value: UnsafeRawBufferPointer(bytes),
                            headers: [])
                    }
                }
            }
            try producer.flush(timeout: .seconds(30))
        } catch {
            throw CommandFailure(.unavailable, "not all tasks could be asked; it does no harm to ask again: \(error)")
        }
    }
}
