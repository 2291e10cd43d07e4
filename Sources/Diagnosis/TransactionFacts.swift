package import RecordLog
package import Times

/// A partition whose committed end lies before its end: somebody has a transaction open there.
package struct TransactionFacts: Hashable, Sendable {
    package var partition: TopicPartition
    /// The last stable offset, at which every reader of committed records waits.
    package var stableEnd: Offset
    package var end: Offset
    /// The age of the first record that readers wait for; `nil` if it cannot be told.
    package var age: ElapsedTime?

    package init(_ partition: TopicPartition, stableEnd: Offset, end: Offset, age: ElapsedTime?) {
        self.partition = partition
        self.stableEnd = stableEnd
        self.end = end
        self.age = age
    }

    /// What ends it where nothing else of the application does.
    ///
    /// - Parameter holders: those whose it is; `nil` if that is not known.
    fileprivate func remedy(
        _ holders: [CoordinatedTransaction]?, bootstrap: String, command: (String) -> String
    ) -> String {
        let tool =
            "kafka-transactions.sh --bootstrap-server \(bootstrap) abort --topic \(partition.topic)"
            + " --partition \(partition.partition) --start-offset \(stableEnd)"
        let running = "If it is a program's that still runs, end that program; "
        guard let holders else {
            let end = command("transactions --end ID")
            return running + "if nobody ends it, \(end) with its transactional id, or \(tool)"
        }
        if holders.isEmpty {
            return "Look again; if it is still there, it hangs, and no client but Kafka's own can end it: \(tool)"
        }
        let endings = holders.filter { !$0.isBeingCommitted }
            .map { command("transactions --end \($0.transactionalId.shellQuoted)") }
        let committed = "What is being committed ends by itself when all its brokers are there"
        if endings.isEmpty { return "\(committed)." }
        let ending = running + "else \(endings.joined(separator: " and "))"
        return endings.count == holders.count ? ending : "\(committed). \(ending)"
    }
}

extension [TransactionFacts] {
    /// A line for each partition whose readers wait for longer than a transaction may last, and one for all others.
    ///
    /// - Parameters:
    ///   - timeout: how long a transaction of the application may last.
    ///   - looked: the partitions that were looked at.
    ///   - bootstrap: for the commands.
    ///   - owners: who of the application may have left them open, the most likely first.
    ///   - known: what coordinators have written; `nil` if this client may not read it.
    ///   - command: makes a whole command line of a verb with its words.
    package func findings(
        timeout: ElapsedTime, looked: Int, bootstrap: String, owners: [TransactionOwner] = [],
        known: CoordinatedTransactions? = nil, command: (String) -> String
    ) -> [Finding] {
        let open = known?.open
        let held = sorted { $0.partition < $1.partition }.compactMap { fact -> Finding? in
            guard let age = fact.age else {
                return Finding(
                    .transactions, "\(fact.partition)", .notice,
                    "readers wait at offset \(fact.stableEnd), and it cannot be told for how long",
                    remedy: "Ask again in \(timeout.text).")
            }
            guard age > timeout else { return nil }
            let holders = open?.filter { $0.partitions.contains(fact.partition) }
            let suspects = owners.suspected(holders)
            let whose = holders.map { owners.text(of: $0) } ?? suspects.text(of: fact.partition.topic)
            let waiting = (fact.end.rawValue - fact.stableEnd.rawValue).counted("offset")
            return Finding(
                .transactions, "\(fact.partition)", .bad,
                "an open transaction holds readers up at offset \(fact.stableEnd) since \(age.text);"
                    + " \(waiting) wait behind it\(whose)",
                remedy: suspects.endings(of: fact.partition.topic)
                    + fact.remedy(holders, bootstrap: bootstrap, command: command))
        }
        if !held.isEmpty { return held }
        let younger = isEmpty ? "" : "; \(count.counted("partition")) \(count == 1 ? "has" : "have") one open for less"
        return [
            Finding(
                .transactions, "\(looked.counted("partition"))", .good,
                "no transaction is open for longer than \(timeout.text)\(younger)")
        ]
    }
}
