import RecordLog

/// The parcels that wait to be sent, in lanes: one for each device, or each recipient.
///
/// One request of a lane is under way at most, in the order in which the lane was filled. Lanes that are ready go in
/// turn; others wait for their time: for more to come, or after a failure.
struct DeliveryLanes<Content> {
    /// The content of one request.
    struct Parcel {
        var content: Content
        /// The reloads that it stands for.
        var records: [OutstandingRecords.Place]
        /// When the first of them came.
        var since: Duration
        /// When the newest of them was written.
        var newest: Instant
        /// The number of attempts that have failed for the parcel's own sake.
        var attempts = 0
        /// The time of the first of these, and the answer to the latest.
        var failure: (since: Duration, reason: String)?
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
        /// In `gathering` or `delayed`.
        case waiting
        /// Its first parcel was taken and has not come back.
        case underWay
    }

    private var lanes: [String: Lane] = [:]
    private var turns: [String] = []
    private var turn = 0
    private var gathering = Schedule()
    private var delayed = Schedule()
    /// How long a new parcel waits for more that can go with it.
    var gather: Duration
    /// Puts the second into the first, which is waiting; `nil` if both have to be sent.
    private let merge: (Content, Content) -> Content?

    init(gather: Duration, merge: @escaping (Content, Content) -> Content?) {
        self.gather = gather
        self.merge = merge
    }

    /// True if nothing waits, and nothing is under way.
    var isEmpty: Bool { lanes.isEmpty }

    /// The number of lanes with something that waits or is under way.
    var count: Int { lanes.count }

    /// The time at which the first of the waiting lanes is due; `nil` if none waits.
    var nextDue: Duration? { [gathering.first, delayed.first].compactMap(\.self).min() }

    /// - Returns: true if it goes with something that waited already.
    @discardableResult
    mutating func add(
        _ content: Content, of record: OutstandingRecords.Place, written: Instant, to lane: String, now: Duration
    ) -> Bool {
        let parcel = Parcel(content: content, records: [record], since: now, newest: written)
        guard let last = lanes[lane]?.parcels.last else {
            let isNew = lanes[lane] == nil
            lanes[lane, default: Lane()].parcels.append(parcel)
            if isNew { makeReady(lane, now: now) }
            return false
        }
        guard let merged = merge(last.content, content) else {
            lanes[lane]?.parcels.append(parcel)
            return false
        }
        let index = lanes[lane]!.parcels.count - 1
        lanes[lane]!.parcels[index].content = merged
        lanes[lane]!.parcels[index].newest = max(last.newest, written)
        lanes[lane]!.parcels[index].records.append(record)
        return true
    }

    /// It goes when its first parcel has waited for others.
    private mutating func makeReady(_ name: String, now: Duration) {
        guard let since = lanes[name]?.parcels.first?.since else { preconditionFailure("the lane is empty") }
        if since + gather > now {
            lanes[name]!.state = .waiting
            gathering.insert(name, due: since + gather)
        } else {
            lanes[name]!.state = .ready
            turns.append(name)
        }
    }

    /// The next parcel that may go; its lane is under way until `finish` or `putBack`.
    ///
    /// - Parameter isFlushing: nothing more will come to go with it.
    mutating func next(now: Duration, isFlushing: Bool) -> (lane: String, parcel: Parcel)? {
        for lane in gathering.removeDue(at: isFlushing ? nil : now) + delayed.removeDue(at: now) {
            lanes[lane]?.state = .ready
            turns.append(lane)
        }
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
    mutating func finish(_ name: String, now: Duration) {
        precondition(lanes[name]?.state == .underWay, "nothing of the lane is under way")
        if lanes[name]!.parcels.isEmpty {
            lanes[name] = nil
        } else {
            makeReady(name, now: now)
        }
    }

    /// The parcel that was taken has to be sent again, not before `due`; what came meanwhile goes with it, or after it.
    ///
    /// - Returns: true if something that came meanwhile goes with it.
    @discardableResult
    mutating func putBack(_ parcel: Parcel, to name: String, due: Duration) -> Bool {
        precondition(lanes[name]?.state == .underWay, "nothing of the lane is under way")
        var parcel = parcel
        var isMerged = false
        if let later = lanes[name]!.parcels.first, let merged = merge(parcel.content, later.content) {
            parcel.content = merged
            parcel.records += later.records
            parcel.newest = max(parcel.newest, later.newest)
            lanes[name]!.parcels.removeFirst()
            isMerged = true
        }
        lanes[name]!.parcels.insert(parcel, at: 0)
        lanes[name]!.state = .waiting
        delayed.insert(name, due: due)
        return isMerged
    }
}

/// Names with the times at which they are due, in that order; what is due together in the order in which it came.
struct Schedule {
    private var entries: [(due: Duration, name: String)] = []
    /// The index of the first entry that is not removed yet.
    private var head = 0

    /// The time at which the first is due; `nil` if there is none.
    var first: Duration? { head < entries.count ? entries[head].due : nil }

    mutating func insert(_ name: String, due: Duration) {
        var (low, high) = (head, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].due <= due { low = middle + 1 } else { high = middle }
        }
        entries.insert((due, name), at: low)
    }

    /// Removes the names that are due, and returns them; all names if `now` is `nil`.
    mutating func removeDue(at now: Duration?) -> [String] {
        var due: [String] = []
        while head < entries.count, now.map({ entries[head].due <= $0 }) ?? true {
            due.append(entries[head].name)
            head += 1
        }
        if head * 2 > entries.count {
            entries.removeFirst(head)
            head = 0
        }
        return due
    }
}
