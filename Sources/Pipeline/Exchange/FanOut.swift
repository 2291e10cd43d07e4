import StreamCore

/// Telling all subscribers of sources that have changed, a portion of them in each transaction (R17).
///
/// A source whose subscribers do not fit into a transaction says so in its state (`FanOutMark`), until the last one is
/// told: after a crash all are gone through again, and those who know already are sent nothing. A change that comes
/// meanwhile goes once around, from where the last one was: whoever waits is not put off by changes that go on.
struct FanOut<Source: StateValue, Subscription> {
    private let links: SubscriptionLinks<Source, Subscription>
    /// In the order in which they go out.
    private var rounds: [Round] = []
    /// Where a source's round stands among them.
    private var places: [Slot<Source>: Int] = [:]
    /// As of the last commit.
    private var committedRounds: [Round] = []
    /// The units of work that this transaction has done.
    private var used = 0

    private struct Round {
        var source: Slot<Source>
        var traceParent: [UInt8]?
        /// The next one; `nil` for the first.
        var next: Slot<Subscription>?
        /// How many are still to be told, at the most.
        var left: Int
        /// The source's state says what is written here.
        var isMarked = false
    }

    init(_ links: SubscriptionLinks<Source, Subscription>) {
        self.links = links
    }

    /// True if subscribers wait for the next transaction.
    var hasMore: Bool { !rounds.isEmpty }

    /// All subscribers of the source are to be told.
    mutating func begin(_ source: Slot<Source>, traceParent: [UInt8]?) {
        let count = links.count(of: source)
        if let place = places[source] {
            rounds[place].left = count
            if rounds[place].traceParent == nil && traceParent != nil {
                rounds[place].traceParent = traceParent
                rounds[place].isMarked = false
            }
        } else if count > 0 {
            places[source] = rounds.count
            rounds.append(Round(source: source, traceParent: traceParent, next: nil, left: count))
        }
    }

    /// Goes through the next subscribers, as many as the transaction has room for.
    ///
    /// - Parameters:
    ///   - tell: returns true if it did a unit of work, such as a message.
    ///   - mark: writes the mark of a source whose subscribers wait for the next transaction, and `nil` when they do
    ///     no longer.
    mutating func advance(
        _ context: TaskContext, tell: (Slot<Subscription>, _ traceParent: [UInt8]?) -> Bool,
        mark: (Slot<Source>, FanOutMark?) -> Void
    ) {
        var finished = 0
        while finished < rounds.count && used < context.flushPortion {
            let round = rounds[finished]
            guard round.left > 0, let slot = round.next ?? links.first(of: round.source) else {
                places[round.source] = nil
                mark(round.source, nil)
                finished += 1
                continue
            }
            rounds[finished].next = links.next(after: slot)
            rounds[finished].left -= 1
            if tell(slot, round.traceParent) { used += 1 }
        }
        if finished > 0 {
            rounds.removeFirst(finished)
            findPlaces()
        }
        // The first one always: then there is a transaction, though nobody among those that it looked at had news.
        for index in rounds.indices where index == 0 || !rounds[index].isMarked {
            rounds[index].isMarked = true
            mark(rounds[index].source, FanOutMark(traceParent: rounds[index].traceParent))
        }
    }

    private mutating func findPlaces() {
        for (place, round) in rounds.enumerated() { places[round.source] = place }
    }

    // MARK: - Derived from state

    /// A source was restored whose subscribers have not all been told. When all such have come, `committed` is called.
    mutating func restore(_ source: Slot<Source>, _ mark: FanOutMark) {
        begin(source, traceParent: mark.traceParent)
        // One without subscribers is not told of any more, and the mark does no harm.
        if let place = places[source] { rounds[place].isMarked = true }
    }

    mutating func committed() {
        committedRounds = rounds
        used = 0
    }

    mutating func reverted() {
        used = 0
        if rounds.isEmpty && committedRounds.isEmpty { return }
        places.removeAll()
        rounds = committedRounds
        findPlaces()
    }

    mutating func removeAll() {
        rounds = []
        places = [:]
        committed()
    }

    /// A subscription is about to be unlinked, after a transaction.
    mutating func unlinking(_ subscription: Slot<Subscription>) {
        guard let index = rounds.firstIndex(where: { $0.next == subscription }) else { return }
        rounds[index].next = links.next(after: subscription)
        committedRounds = rounds
    }
}

/// Says in the state of a source that some of its subscribers may not have been told of its last change yet.
struct FanOutMark: StateValue {
    var traceParent: [UInt8]?

    init(traceParent: [UInt8]?) {
        self.traceParent = traceParent
    }

    func encode(into writer: inout ByteWriter) {
        writer.write(optional: traceParent) { $0.write($1) }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        traceParent = try reader.bool() ? try reader.array() : nil
    }
}
