import RecordLog

/// A producer of the application that may have a transaction open. Who may not read what coordinators have written does
/// not know whose a transaction is, so the rules by which the application names its producers have to tell.
package struct TransactionOwner: Hashable, Sendable {
    /// Its transactional id, or words that stand for it where only the beginning is known.
    package var transactionalId: String
    /// What its transactional id begins with; `nil` if the whole id is known.
    package var prefix: String?
    /// What is known of it, in words: "a member of the group".
    package var state: String
    /// Where it writes in transactions.
    package var topics: Set<String>
    /// What ends a transaction that it left open, as a sentence; empty if nothing but itself does.
    package var ending: String

    package init(
        _ transactionalId: String, _ state: String, writesTo topics: some Sequence<String>, ending: String,
        prefix: String? = nil
    ) {
        self.transactionalId = transactionalId
        self.prefix = prefix
        self.state = state
        self.topics = Set(topics)
        self.ending = ending
    }

    /// True if the transaction is this producer's.
    fileprivate func owns(_ transaction: CoordinatedTransaction) -> Bool {
        let id = transaction.transactionalId
        return prefix.map { id.utf8.starts(with: $0.utf8) } ?? (id == transactionalId)
    }
}

extension [TransactionOwner] {
    /// So many are named in a line.
    private static var namedMax: Int { 5 }

    /// Those that write to a topic, as the end of a sentence; empty if there are none.
    func text(of topic: String) -> String {
        let owners = filter { $0.topics.contains(topic) }
        if owners.isEmpty { return "" }
        let named = owners.prefix(Self.namedMax).map { "\($0.transactionalId) (\($0.state))" }.joined(separator: ", ")
        let more = owners.count > Self.namedMax ? " and \(owners.count - Self.namedMax) more" : ""
        return "; of this application it may be that of \(named)\(more)"
    }

    /// Those that may have a transaction open in a partition.
    ///
    /// - Parameter holders: those whose transactions are open there; `nil` if that is not known.
    func suspected(_ holders: [CoordinatedTransaction]?) -> [TransactionOwner] {
        guard let holders else { return self }
        return filter { owner in holders.contains { owner.owns($0) } }
    }

    /// Those whose transactions are open in a partition, as the end of a sentence.
    func text(of holders: [CoordinatedTransaction]) -> String {
        if holders.isEmpty { return "; no coordinator knows of it" }
        let named = holders.map { holder in
            let owner = first { $0.owns(holder) }
            return "\(holder.transactionalId.inOneLine) (\(owner?.state ?? holder.state.text))"
        }
        return "; it is that of \(named.joined(separator: " and "))"
    }

    /// What ends their transactions, each sentence once and with a blank behind it.
    package func endings(of topic: String) -> String {
        var sentences: [String] = []
        for owner in self where owner.topics.contains(topic) && !owner.ending.isEmpty {
            if !sentences.contains(owner.ending) { sentences.append(owner.ending) }
        }
        return sentences.map { $0 + " " }.joined()
    }
}
