import RecordLog
import Timelines

/// The parcels that wait to be sent, in lanes: one for each device, each recipient, or each configuration.
///
/// One request of a lane is under way at most, in the order in which the lane was filled. Lanes that are ready go in
/// turn; others wait for their time: for more to come, or after a failure.
struct DeliveryLanes<Content> {
    /// The content of one request.
    struct Parcel {
        var content: Content
        /// The records that it stands for.
        var records: [OutstandingRecords.Place]
        /// When the first of them came.
        var since: Duration
        /// When the newest of them was written.
        var newest: Instant
        /// The number of attempts that have failed for the parcel's own sake.
        var attempts = 0
        /// What is known of these; `nil` if there are none.
        var failure: ParcelFailure?
        /// It was answered that the recipient is gone, which a newer registration contradicts.
        var wasGone = false
        /// The number of deliveries to its host by the time that it was refused for good first, and nevertheless kept;
        /// `nil` if it was not.
        var declinedAfter: Int?
        /// The most parcels of its request, itself included, since a larger one was refused; `nil` leaves it open.
        var batchMax: Int?
        /// It removes something that is not there, as its host says; `nil` before the host has said so.
        var absence: Absence?
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

    private var lanes = TextDictionary<Lane>()
    /// The lanes that are ready, each with the time from which on it might have gone.
    private var turns: [(name: String, since: Duration)] = []
    private var turn = 0
    private var gathering = Schedule()
    private var delayed = Schedule()
    /// How long a new parcel waits for more that can go with it.
    var gather: Duration
    /// True if what comes later takes the place of what waits; false if they go together.
    private let replaces: Bool
    /// Puts the second into the first, which is waiting; `nil` if both have to be sent.
    private let merge: (Content, Content) -> Content?

    init(gather: Duration, replaces: Bool, merge: @escaping (Content, Content) -> Content?) {
        self.gather = gather
        self.replaces = replaces
        self.merge = merge
    }

    /// True if nothing waits, and nothing is under way.
    var isEmpty: Bool { lanes.isEmpty }

    /// The number of lanes with something that waits or is under way.
    var count: Int { lanes.count }

    /// Calls with each parcel that waits, in no certain order.
    func forEachParcel(_ body: (Parcel) -> Void) {
        for lane in lanes.values { lane.parcels.forEach(body) }
    }

    /// The time at which the first of the waiting lanes is due; `nil` if none waits.
    var nextDue: Duration? { [gathering.first, delayed.first].compactMap(\.self).min() }

    /// How long the first lane that may go has waited for a request to be free; zero where none waits for that. A lane
    /// whose server or device has failed may not go before its back-off is over.
    func turnWait(now: Duration) -> Duration {
        let first = turn < turns.count ? turns[turn].since : nil
        return [first, nextDue].compactMap(\.self).min().map { max(.zero, now - $0) } ?? .zero
    }

    /// - Returns: if it is merged with something that waited already, the records whose place it takes; else `nil`.
    mutating func add(
        _ content: Content, of record: OutstandingRecords.Place, written: Instant, to lane: String, now: Duration
    ) -> [OutstandingRecords.Place]? {
        let parcel = Parcel(content: content, records: [record], since: now, newest: written)
        guard let last = lanes[lane]?.parcels.last else {
            let isNew = lanes[lane] == nil
            lanes[lane, default: Lane()].parcels.append(parcel)
            if isNew { makeReady(lane, now: now) }
            return nil
        }
        guard let merged = merge(last.content, content) else {
            lanes[lane]?.parcels.append(parcel)
            return nil
        }
        let index = lanes[lane]!.parcels.count - 1
        return join(&lanes[lane]!.parcels[index], parcel, merged)
    }

    /// - Returns: the records that need not be sent any more.
    private func join(_ parcel: inout Parcel, _ later: Parcel, _ content: Content) -> [OutstandingRecords.Place] {
        parcel.content = content
        parcel.newest = max(parcel.newest, later.newest)
        guard replaces else {
            parcel.records += later.records
            return []
        }
        defer { parcel.records = later.records }
        (parcel.batchMax, parcel.declinedAfter, parcel.absence) = (nil, nil, nil)
        // What was said of the one before says nothing of this, unless it was said of the address.
        if parcel.failure?.isOfAddress != true { (parcel.attempts, parcel.failure) = (0, nil) }
        return parcel.records
    }

    /// It goes when its first parcel has waited for others.
    private mutating func makeReady(_ name: String, now: Duration) {
        guard let since = lanes[name]?.parcels.first?.since else { preconditionFailure("the lane is empty") }
        if since + gather > now {
            lanes[name]!.state = .waiting
            gathering.insert(name, due: since + gather)
        } else {
            lanes[name]!.state = .ready
            turns.append((name, now))
        }
    }

    /// The next parcel that may go; its lane is under way until `finish` or `putBack`.
    ///
    /// - Parameter isFlushing: nothing more will come to go with it.
    mutating func next(now: Duration, isFlushing: Bool) -> (lane: String, parcel: Parcel)? {
        for (due, lane) in gathering.removeDue(at: isFlushing ? nil : now) + delayed.removeDue(at: now) {
            lanes[lane]?.state = .ready
            turns.append((lane, min(due, now)))
        }
        guard turn < turns.count else { return nil }
        let name = turns[turn].name
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
    /// - Returns: if it is merged with something that came meanwhile, the records whose place that takes; else `nil`.
    mutating func putBack(_ parcel: Parcel, to name: String, due: Duration) -> [OutstandingRecords.Place]? {
        precondition(lanes[name]?.state == .underWay, "nothing of the lane is under way")
        var parcel = parcel
        var replaced: [OutstandingRecords.Place]?
        if let later = lanes[name]!.parcels.first, let merged = merge(parcel.content, later.content) {
            replaced = join(&parcel, later, merged)
            lanes[name]!.parcels.removeFirst()
        }
        lanes[name]!.parcels.insert(parcel, at: 0)
        lanes[name]!.state = .waiting
        delayed.insert(name, due: due)
        return replaced
    }
}

/// The failures of a parcel that may be its own.
struct ParcelFailure: Hashable {
    /// When the first of them came.
    var since: Duration
    /// When the first one came after something else was delivered meanwhile: from then on they are its own.
    var ownSince: Duration?
    /// The answer to the latest.
    var reason: String
    /// The address is refused, whatever is sent there.
    var isOfAddress: Bool
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

    /// Removes the names that are due, and returns them with their times; all names if `now` is `nil`.
    mutating func removeDue(at now: Duration?) -> [(due: Duration, name: String)] {
        var due: [(due: Duration, name: String)] = []
        while head < entries.count, now.map({ entries[head].due <= $0 }) ?? true {
            due.append(entries[head])
            head += 1
        }
        if head * 2 > entries.count {
            entries.removeFirst(head)
            head = 0
        }
        return due
    }
}
