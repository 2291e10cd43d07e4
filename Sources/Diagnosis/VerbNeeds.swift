import RecordLog

/// A topic that an application works with, whatever its name is.
package enum NamedTopic: CaseIterable, Hashable, Sendable {
    case telemetry, calendarEvents, configurations, positions
    case timelines, reloads, positionsMerged, deadLetters
    /// Those of the application itself: `ID.exchange` and so on.
    case exchange, state, reset, pushes, sinks, operations
    /// Kafka's own, in which coordinators keep what transactions are open.
    case transactionState
}

/// What one verb needs to be allowed.
struct VerbNeeds: Sendable {
    var verb: String
    var uses: [Use]
    /// On the group of `process`.
    var group: [Permission.Operation] = []
    /// `Write` on them.
    var transactionalIds: [TransactionalId] = []

    /// What is done with topics.
    struct Use: Sendable {
        var operations: [Permission.Operation]
        var topics: [NamedTopic]
        /// The verb makes what is not there.
        var isMade = false

        init(_ operations: Permission.Operation..., on topics: [NamedTopic], isMade: Bool = false) {
            self.operations = operations
            self.topics = topics
            self.isMade = isMade
        }
    }

    enum TransactionalId: Sendable {
        /// The application's id with this at its end.
        case named(String)
        /// Those of stream threads.
        case threads
        /// Those of sinks that send.
        case sinks
    }

    private init(
        _ verb: String, _ uses: [Use], group: [Permission.Operation] = [], transactionalIds: [TransactionalId] = []
    ) {
        self.verb = verb
        self.uses = uses
        self.group = group
        self.transactionalIds = transactionalIds
    }

    private static let inputs: [NamedTopic] = [.telemetry, .calendarEvents, .configurations, .positions]
    private static let outputs: [NamedTopic] = [.timelines, .reloads, .positionsMerged, .deadLetters]

    /// All verbs that meet brokers, `process` first. Three are left out: `demo` has a broker of its own, `bench` makes
    /// its own topics, and `permissions` needs Describe and Alter on the cluster itself.
    static let all: [VerbNeeds] = [
        [process], sinking, [serve, produce, reload], looking, deadLetters, starting, topics, diagnosing,
    ].flatMap { $0 }

    private static let process = VerbNeeds(
        "process",
        [
            Use(.read, .describeConfigs, on: inputs),
            Use(.write, .describeConfigs, on: outputs),
            // Who else writes there is looked at before anything is written.
            Use(.read, on: [.timelines]),
            Use(.read, .write, .delete, .describeConfigs, on: [.exchange], isMade: true),
            Use(.read, .write, .describeConfigs, on: [.state], isMade: true),
            Use(.describe, on: [.reset]),
        ], group: [.read], transactionalIds: [.threads])

    private static let status = Use(.read, .write, .describeConfigs, on: [.sinks], isMade: true)
    private static let ledger = Use(.read, .write, .describeConfigs, on: [.pushes], isMade: true)
    private static let letters = Use(.write, .describeConfigs, on: [.deadLetters])

    private static let sinking = [
        VerbNeeds("sink", [Use(.read, .describeConfigs, on: [.timelines]), letters, status]),
        VerbNeeds(
            "sink --to https:", [Use(.read, .describeConfigs, on: [.timelines]), letters, ledger, status],
            transactionalIds: [.sinks]),
        // Pushes to Apple have their tokens in configurations.
        VerbNeeds(
            "sink --reloads apns",
            [Use(.read, .describeConfigs, on: [.reloads, .configurations]), letters, ledger, status],
            transactionalIds: [.sinks]),
        VerbNeeds(
            "sink --reloads https:", [Use(.read, .describeConfigs, on: [.reloads]), letters, ledger, status],
            transactionalIds: [.sinks]),
        // Its positions are in the database, as of postgres:.
        VerbNeeds("sink --reloads sqlite:", [Use(.read, .describeConfigs, on: [.reloads]), letters, status]),
        VerbNeeds(
            "sink --status",
            [
                Use(.read, .describeConfigs, on: [.sinks, .pushes]),
                // Lag is told from where they begin and end.
                Use(.describe, .describeConfigs, on: [.timelines, .reloads]),
            ]),
        VerbNeeds("sink --status --forget", [Use(.read, .write, .describeConfigs, on: [.sinks])]),
    ]

    private static let serve = VerbNeeds(
        "serve",
        [
            Use(
                .read, .describeConfigs,
                on: [.timelines, .reloads, .configurations, .positions, .positionsMerged]),
            Use(.write, .describeConfigs, on: inputs),
            // Requests for reloads go there.
            Use(.write, .describeConfigs, on: [.exchange]),
        ], group: [.describe])

    private static let produce = VerbNeeds(
        "produce",
        [
            Use(.write, .describeConfigs, on: inputs),
            // Only what differs from it is sent of calendars.
            Use(.read, on: [.calendarEvents]),
        ])

    private static let reload = VerbNeeds(
        "reload",
        [
            Use(.read, .describeConfigs, on: [.configurations]), Use(.write, .describeConfigs, on: [.exchange]),
        ])

    private static let looking = [
        VerbNeeds(
            "list",
            [Use(.read, .describeConfigs, on: [.telemetry, .calendarEvents, .configurations, .timelines, .reloads])]),
        VerbNeeds("show", [Use(.read, .describeConfigs, on: [.configurations, .timelines, .reloads])]),
        VerbNeeds(
            "explain",
            [
                Use(
                    .read, .describeConfigs,
                    on: [.telemetry, .calendarEvents, .configurations, .timelines, .reloads, .deadLetters])
            ]),
    ]

    private static let marks = Use(.read, .write, .describeConfigs, on: [.operations], isMade: true)

    // What was done with dead letters is looked up first, if anything was.
    private static let letterReading = [Use(.read, .describeConfigs, on: [.deadLetters, .operations])]

    private static let deadLetters = [
        VerbNeeds("dead-letters list", letterReading),
        VerbNeeds("dead-letters show", letterReading),
        VerbNeeds(
            "dead-letters replay",
            [
                Use(.read, .describeConfigs, on: [.deadLetters]), marks,
                // Whence dead letters come: sinks set aside what they read. What is newer there is looked for.
                Use(.read, .write, .describeConfigs, on: inputs + [.timelines, .reloads]),
            ], transactionalIds: [.named(".operations")]),
        VerbNeeds(
            "dead-letters drop", [Use(.read, .describeConfigs, on: [.deadLetters]), marks],
            transactionalIds: [.named(".operations")]),
        VerbNeeds(
            "dead-letters forget-mark", [Use(.describe, .describeConfigs, on: [.deadLetters]), marks],
            transactionalIds: [.named(".operations")]),
    ]

    private static let again: [Use] = [
        Use(.describe, .describeConfigs, on: inputs + outputs),
        Use(.read, on: [.timelines, .configurations, .state]),
        Use(.create, .write, .delete, .describeConfigs, on: [.exchange, .state]),
        Use(.create, .read, .write, .delete, .describeConfigs, on: [.reset]),
    ]

    private static let starting = [
        VerbNeeds(
            "reset",
            again + [
                Use(.read, .write, .describeConfigs, on: [.pushes]),
                // It refuses beside a sink that runs; without these it could only warn, and run over that sink.
                Use(.read, .describeConfigs, on: [.sinks]),
            ], group: [.read], transactionalIds: [.named("-reset"), .sinks]),
        VerbNeeds("repartition", again, group: [.read], transactionalIds: [.named("-reset")]),
    ]

    private static let topics = [
        VerbNeeds("topics", [Use(.describeConfigs, on: inputs + outputs, isMade: true)]),
        VerbNeeds(
            "topics --apply",
            [
                Use(
                    .describeConfigs, .alterConfigs,
                    on: inputs + outputs + [.exchange, .state, .pushes, .sinks, .operations])
            ]),
        // Where no setting differs, none is set.
        VerbNeeds(
            "topics --partitions --apply",
            [
                Use(.alter, on: inputs),
                Use(.describeConfigs, on: inputs + outputs + [.exchange, .state, .pushes, .sinks, .operations]),
            ]),
    ]

    private static let diagnosing = [
        // Whose transaction is to be ended is not known before: Write on its id is a matter of that time.
        VerbNeeds("transactions", [Use(.read, .describeConfigs, on: [.transactionState])]),
        VerbNeeds(
            "doctor",
            [
                Use(.describe, .describeConfigs, on: inputs + outputs + [.exchange]),
                Use(.describe, on: [.reset]),
                Use(
                    .read, .describeConfigs,
                    on: [
                        .timelines, .deadLetters, .state, .reset, .pushes, .sinks, .operations, .transactionState,
                    ]),
            ], group: [.describe]),
    ]
}
