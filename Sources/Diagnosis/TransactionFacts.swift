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

    /// What ends it, whoever began it.
    fileprivate func remedy(bootstrap: String) -> String {
        "If it is a program's that still runs, end that program; if nobody ends it,"
            + " kafka-transactions.sh --bootstrap-server \(bootstrap) abort --topic \(partition.topic)"
            + " --partition \(partition.partition) --start-offset \(stableEnd)"
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
    package func findings(
        timeout: ElapsedTime, looked: Int, bootstrap: String, owners: [TransactionOwner] = []
    ) -> [Finding] {
        let held = sorted { $0.partition < $1.partition }.compactMap { fact -> Finding? in
            guard let age = fact.age else {
                return Finding(
                    .transactions, "\(fact.partition)", .notice,
                    "readers wait at offset \(fact.stableEnd), and it cannot be told for how long",
                    remedy: "Ask again in \(timeout.text).")
            }
            guard age > timeout else { return nil }
            return Finding(
                .transactions, "\(fact.partition)", .bad,
                "an open transaction holds readers up at offset \(fact.stableEnd) since \(age.text);"
                    + " \((fact.end.rawValue - fact.stableEnd.rawValue).counted("offset")) wait behind it"
                    + owners.text(of: fact.partition.topic),
                remedy: owners.endings(of: fact.partition.topic) + fact.remedy(bootstrap: bootstrap))
        }
        if !held.isEmpty { return held }
        let open = isEmpty ? "" : "; \(count.counted("partition")) \(count == 1 ? "has" : "have") one open for less"
        return [
            Finding(
                .transactions, "\(looked.counted("partition"))", .good,
                "no transaction is open for longer than \(timeout.text)\(open)")
        ]
    }
}
