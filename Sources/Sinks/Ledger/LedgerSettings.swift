import RecordLog

/// Where a sink keeps what it has to know after a restart, and as whom.
struct LedgerSettings: Hashable, Sendable {
    /// Compacted, of one partition; made where it is missing. Several sinks may share it.
    var topic: String
    /// Names the sink in the ledger: its positions and its other entries.
    var name: String
    /// Names all that write with the same `transactionalId`, of which one runs at a time: several sinks, or one.
    var owner: String
    /// The topic of which positions are kept.
    var source: String
    /// The replication factor of the ledger if it has to be made; `nil` is the broker's default.
    var replication: Int32?
    var transactionalId: String
    /// What sets the topic's `cleanup.policy`, for the refusal of another one; `nil` if no verb does.
    var remedy: String?
}

/// A notice for an operator; the ledger goes on.
enum LedgerNotice: Hashable, Sendable {
    case log(LogError)
    /// The producer was replaced: this is how an unknown outcome is settled.
    case producerReplaced(LogError)
}

/// Why a ledger cannot go on.
enum LedgerError: Error, Hashable, Sendable {
    case log(LogError)
    /// Another instance of the sink has started; it goes on in this one's place.
    case replaced
    /// The positions were taken away, and nobody goes on in this one's place.
    case reset
    /// The ledger's topic is not what it can work with.
    case topic(String, problem: String)
}
