import Arguments
import Diagnosis
import Inspection
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
            fenced and cannot commit; it asks before that on a terminal, and needs '--yes' elsewhere. One that is \
            being committed cannot be aborted. A transaction that no coordinator knows of any more (KIP-664) is not \
            listed, and no client but Kafka's own can end it.
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
            for transaction in known.open { show(transaction, at: now) }
            if known.open.isEmpty && !json { print("no transaction is open") }
            if known.unreadable > 0 {
                throw CommandFailure(.software, Self.unknownForms(known))
            }
            return
        }
        try abort(end, environment)
    }

    private func abort(_ id: String, _ environment: Environment) throws(CommandFailure) {
        let now = WallClock.systemTime()
        let found = try look(for: id, environment)
        if let found { show(found, at: now) }
        try Consent.require(
            for: "Abort the transaction of '\(id.inOneLine)', and fence the program that uses this id?", isGiven: yes)
        try takeOver(id, environment)
        tellFate(of: id, found, environment)
    }

    /// - Returns: the open transaction of the id; `nil` if it cannot be told whether it has one, after a warning.
    /// - Throws: with status 64 if it has none, or if it is being committed.
    private func look(
        for id: String, _ environment: Environment
    ) throws(CommandFailure) -> CoordinatedTransaction? {
        let name = id.inOneLine
        let known: CoordinatedTransactions
        do throws(CommandFailure) {
            known = try environment.coordinatedTransactions()
        } catch {
            guard error.status == .unavailable, !Signals.isStopRequested else { throw error }
            writeError("warning: what '\(name)' has open is not known: \(error.message)")
            return nil
        }
        if let found = known[id], found.isOpen {
            guard !found.isBeingCommitted else {
                throw CommandFailure(
                    .usage,
                    "--end: '\(name)' is being committed; it ends by itself when all its brokers are there")
            }
            return found
        }
        let open = known.open.map(\.transactionalId.inOneLine)
        let near = NearIds.sentence(about: name, among: open, plural: "open transactions")
        guard known[id] == nil, known.unreadable > 0 else {
            throw CommandFailure(.usage, "--end: '\(name)' has no open transaction; \(near)")
        }
        writeError("warning: what '\(name)' has open is not known: \(Self.unknownForms(known)); \(near)")
        return nil
    }

    /// Reads once more: between the first look and the take-over the owner may have ended its transaction itself.
    private func tellFate(of id: String, _ found: CoordinatedTransaction?, _ environment: Environment) {
        var after: CoordinatedTransactions?
        if let found {
            do throws(CommandFailure) {
                after = try environment.coordinatedTransactions(following: found)
            } catch {
                writeError("warning: the end of the transaction of '\(id.inOneLine)' is not seen: \(error.message)")
            }
        }
        guard var ended = found, let fate = after?.fate else {
            let words = "fenced; what became of its transaction is not known"
            return print(json ? Self.json(id, "fenced") : "\(id.inOneLine): \(words)")
        }
        ended.state = fate
        if json { return print(Self.json(id, fate.text, ended)) }
        let own = fate == .completeCommit ? ", by its own program; that is fenced now" : ""
        let later = after?.hasAbortedLater == true ? "; one that it had begun later is aborted" : ""
        print("\(id.inOneLine): \(fate.text)\(own)\(later)")
    }

    private static func unknownForms(_ known: CoordinatedTransactions) -> String {
        "\(known.unreadable.counted("record")) of \(CoordinatedTransactions.topic) "
            + "\(known.unreadable == 1 ? "is" : "are") of a form that this release does not know"
    }

    /// Initialises a producer of the id, which makes the coordinator abort what is open before it answers.
    private func takeOver(_ id: String, _ environment: Environment) throws(CommandFailure) {
        let producer: any TransactionalProducer
        do throws(LogError) {
            producer = try environment.cluster.makeTransactionalProducer(
                transactionalId: id, clientId: "tideline-transactions")
        } catch {
            throw CommandFailure(.unavailable, "cannot take '\(id.inOneLine)' over: \(error)")
        }
        defer { producer.destroy() }
        let deadline = WallClock.uptime() + Self.patience
        while true {
            do throws(TransactionError) {
                return try producer.initialise(timeout: Self.attempt)
            } catch {
                guard case .retriable = error, WallClock.uptime() < deadline, !Signals.isStopRequested else {
                    // Threads need the right to all ids that begin like this one; who ends one needs this one.
                    let refusal = error.cause.needingInstead(Permission(.write, .transactionalId(id)))
                    throw CommandFailure(.software, "cannot take '\(id.inOneLine)' over: \(refusal)")
                }
            }
        }
    }

    /// Writes a transaction that is open: a line for people, a JSON object for machines.
    private func show(_ transaction: CoordinatedTransaction, at now: Instant) {
        if json {
            print(Self.json(transaction.transactionalId, "open", transaction))
        } else {
            print("\(transaction.transactionalId.inOneLine): \(transaction.text(at: now))")
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
