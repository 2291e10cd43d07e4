import Arguments
import Diagnosis
import Messages
import RecordLog
import Times

/// Lists the transactions that are open in the cluster, and ends one if it is told to.
struct TransactionsCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "transactions",
        abstract: "Lists the transactions that are open in the cluster, of all programs, and ends one of them.",
        discussion: """
            Reads what the coordinators of the cluster have written (topic __transaction_state) and writes a line for \
            each transaction that is open: its transactional id, since when, how long it may last, and where it has \
            written. '--end' aborts the one of an id by taking the id over, so that a program that still uses it is \
            fenced and cannot commit; it asks before that on a terminal, and needs '--yes' elsewhere. A transaction \
            that no coordinator knows of any more (KIP-664) is not listed, and no client but Kafka's own can end it.
            """,
        examples: [
            CommandExample("tideline transactions --bootstrap localhost:9092", "A line for each."),
            CommandExample("tideline transactions --end billing-7", "Aborts that of billing-7, after asking."),
        ])

    @Option(
        help: ArgumentHelp("Abort the transaction of this transactional id, and fence who uses it.", valueName: "id"))
    var end: String?
    @Flag(help: "Do not ask before it is ended.") var yes = false
    @Flag(help: "Write JSON lines.") var json = false
    @OptionGroup var kafka: KafkaOptions

    private static let attempt = Duration.seconds(5)
    private static let patience = Duration.seconds(60)

    func execute() throws(CommandFailure) {
        let environment = try Environment(kafka)
        let admin = try environment.connect()
        defer { admin.close() }
        guard let end else {
            let known = try environment.coordinatedTransactions()
            let now = WallClock.systemTime()
            for transaction in known.open { show(transaction, "open", at: now) }
            if known.open.isEmpty && !json { print("no transaction is open") }
            if known.unreadable > 0 {
                throw CommandFailure(
                    .software,
                    "\(known.unreadable.counted("record")) of \(CoordinatedTransactions.topic) "
                        + "\(known.unreadable == 1 ? "is" : "are") of a form that this release does not know")
            }
            return
        }
        try abort(end, environment)
    }

    private func abort(_ id: String, _ environment: Environment) throws(CommandFailure) {
        let now = WallClock.systemTime()
        var found: CoordinatedTransaction?
        do throws(CommandFailure) {
            let known = try environment.coordinatedTransactions()
            found = known[id]
            if known.unreadable == 0, found?.isOpen != true {
                throw CommandFailure(.usage, "--end: '\(id)' has no open transaction")
            }
        } catch {
            guard error.status == .unavailable, !Signals.isStopRequested else { throw error }
            writeError("warning: what '\(id)' has open is not known: \(error.message)")
        }
        if let found { show(found, "open", at: now) }
        try Consent.require(
            for: "Abort the transaction of '\(id)', and fence the program that uses this id?", isGiven: yes)
        try takeOver(id, environment)
        if let found {
            show(found, "aborted", at: now)
        } else {
            print(json ? Self.json(id, "aborted") : "\(id): aborted")
        }
    }

    /// Initialises a producer of the id, which makes the coordinator abort what is open before it answers.
    private func takeOver(_ id: String, _ environment: Environment) throws(CommandFailure) {
        let producer: any TransactionalProducer
        do throws(LogError) {
            producer = try environment.cluster.makeTransactionalProducer(
                transactionalId: id, clientId: "tideline-transactions")
        } catch {
            throw CommandFailure(.unavailable, "cannot take '\(id)' over: \(error)")
        }
        defer { producer.destroy() }
        let deadline = WallClock.uptime() + Self.patience
        while true {
            do throws(TransactionError) {
                return try producer.initialise(timeout: Self.attempt)
            } catch {
                guard case .retriable = error, WallClock.uptime() < deadline, !Signals.isStopRequested else {
                    let refusal = error.cause.needing(Permission(.write, .transactionalId(id)))
                    throw CommandFailure(.software, "cannot take '\(id)' over: \(refusal)")
                }
            }
        }
    }

    /// Writes what is, or became, of a transaction: a line for people, a JSON object for machines.
    private func show(_ transaction: CoordinatedTransaction, _ outcome: String, at now: Instant) {
        if json {
            print(Self.json(transaction.transactionalId, outcome, transaction))
        } else {
            let text = outcome == "open" ? transaction.text(at: now) : outcome
            print("\(transaction.transactionalId): \(text)")
        }
    }

    private static func json(_ id: String, _ outcome: String, _ transaction: CoordinatedTransaction? = nil) -> String {
        JSONWriter.object { json in
            json.string("transactionalId", id)
            json.string("outcome", outcome)
            guard let transaction else { return }
            json.string("state", transaction.state.text)
            json.instant("begin", transaction.begin)
            json.integer("timeoutMs", transaction.timeout.milliseconds)
            json.strings("partitions", transaction.partitions.map { "\($0)" })
        }
    }
}
