/// What waits to be sent, in lanes: one for each device, or each recipient. Of a lane one request is under way at most,
/// in the order in which the lane was filled. Lanes that are ready go in turn; others wait for their time.
struct DeliveryLanes<Content> {
    /// What one request is to tell.
    struct Parcel {
        var content: Content
        /// The reloads that it stands for.
        var records: [OutstandingRecords.Place]
        /// Those that have failed.
        var attempts = 0
        /// It was answered that the recipient is gone, which a newer registration contradicts.
        var wasGone = false
    }

    private struct Lane {
        var parcels: [Parcel] = []
        var state = State.ready
    }

    private enum State: Hashable {
        /// In `turns`.
        case ready
        /// In `delayed`.
        case waiting
        /// Its first parcel was taken and has not come back.
        case underWay
    }

    private var lanes: [String: Lane] = [:]
    private var turns: [String] = []
    private var turn = 0
    /// Ascending.
    private var delayed: [(due: Duration, lane: String)] = []
    /// Puts the second into the first, which is waiting; nil where both have to be sent.
    private let merge: (Content, Content) -> Content?

    init(merge: @escaping (Content, Content) -> Content?) {
        self.merge = merge
    }

    /// Nothing waits, and nothing is under way.
    var isEmpty: Bool { lanes.isEmpty }

    /// Those with something that waits or is under way.
    var count: Int { lanes.count }

    /// When the first of the lanes that wait is due; nil where none waits.
    var nextDue: Duration? { delayed.first?.due }

    /// - Returns: whether it goes with something that waited already.
    @discardableResult
    mutating func add(_ content: Content, of record: OutstandingRecords.Place, to lane: String) -> Bool {
        guard let last = lanes[lane]?.parcels.last else {
            let isNew = lanes[lane] == nil
            lanes[lane, default: Lane()].parcels.append(Parcel(content: content, records: [record]))
            if isNew { turns.append(lane) }
            return false
        }
        guard let merged = merge(last.content, content) else {
            lanes[lane]?.parcels.append(Parcel(content: content, records: [record]))
            return false
        }
        let index = lanes[lane]!.parcels.count - 1
        lanes[lane]!.parcels[index].content = merged
        lanes[lane]!.parcels[index].records.append(record)
        return true
    }

    /// The next parcel that may go; its lane is under way until `finish` or `putBack`.
    mutating func next(now: Duration) -> (lane: String, parcel: Parcel)? {
        let due = delayed.prefix { $0.due <= now }
        for (_, lane) in due {
            lanes[lane]?.state = .ready
            turns.append(lane)
        }
        delayed.removeFirst(due.count)
        guard turn < turns.count else { return nil }
        let name = turns[turn]
        turn += 1
        if turn * 2 > turns.count {
            turns.removeFirst(turn)
            turn = 0
        }
        lanes[name]!.state = .underWay
        return (name, lanes[name]!.parcels.removeFirst())
    }

    /// The parcel that was taken is settled.
    mutating func finish(_ name: String) {
        precondition(lanes[name]?.state == .underWay, "nothing of the lane is under way")
        if lanes[name]!.parcels.isEmpty {
            lanes[name] = nil
        } else {
            lanes[name]!.state = .ready
            turns.append(name)
        }
    }

    /// The parcel that was taken has to be sent again, not before `due`; what came meanwhile goes with it, or after it.
    ///
    /// - Returns: whether something that came meanwhile goes with it.
    @discardableResult
    mutating func putBack(_ parcel: Parcel, to name: String, due: Duration) -> Bool {
        precondition(lanes[name]?.state == .underWay, "nothing of the lane is under way")
        var parcel = parcel
        var isMerged = false
        if let later = lanes[name]!.parcels.first, let merged = merge(parcel.content, later.content) {
            parcel.content = merged
            parcel.records += later.records
            lanes[name]!.parcels.removeFirst()
            isMerged = true
        }
        lanes[name]!.parcels.insert(parcel, at: 0)
        lanes[name]!.state = .waiting
        var (low, high) = (0, delayed.count)
        while low < high {
            let middle = (low + high) / 2
            if delayed[middle].due <= due { low = middle + 1 } else { high = middle }
        }
        delayed.insert((due, name), at: low)
        return isMerged
    }
}
