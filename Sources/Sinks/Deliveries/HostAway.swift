import RecordLog

/// A server that takes nothing at present while records wait for it. Others may take theirs meanwhile.
package struct HostAway: Hashable, Sendable {
    package var host: String
    /// What it has answered last. The server is named.
    package var reason: String
    /// The records that wait for it.
    package var waiting: Int
    /// How long ago the first of these was read, at most.
    package var age: Duration
    /// True if so many wait for those that are away that nothing more is read, for whatever server that is.
    package var fillsUp: Bool

    package init(host: String, reason: String, waiting: Int, age: Duration, fillsUp: Bool = false) {
        self.host = host
        self.reason = reason
        self.waiting = waiting
        self.age = age
        self.fillsUp = fillsUp
    }

    /// A sentence about what it holds up.
    package var description: String {
        fillsUp ? "\(reason); \(waiting) records wait for \(host), and nothing is read before it takes some" : reason
    }
}

extension Deliveries {
    /// Tells once that a host which is away leaves no room for others.
    func tellFullness() {
        guard isFull else {
            hasToldFullness = false
            return
        }
        guard !hasToldFullness, let host = hostsAway.first(where: \.fillsUp) else { return }
        hasToldFullness = true
        notice(.full(host.description))
    }

    /// The servers that are away, ascending by name. One is away while a request to it has failed and waits, and it has
    /// taken nothing since.
    var hostsAway: [HostAway] {
        let away = Set(failing.hosts + absent.hosts).sorted().filter { host in
            guard let state = hosts[host] else { return false }
            return state.isTurningAway || (state.failingSince != nil && failing.count(of: host) > 0)
        }
        if away.isEmpty { return [] }
        var found: [String: (waiting: Int, since: Duration)] = [:]
        func count(_ parcel: Parcel) {
            let host = destination.host(of: parcel.content)
            let known = found[host] ?? (0, parcel.since)
            found[host] = (known.waiting + parcel.records.count, min(known.since, parcel.since))
        }
        lanes.forEachParcel(count)
        for sent in underWay.values { for item in sent.items { count(item.parcel) } }
        // Two that are away may fill up together what none of them does alone.
        let waiting = away.reduce(0) { $0 + (found[$1]?.waiting ?? 0) }
        let fillsUp = isFull && waiting * 2 >= outstanding.count
        return away.compactMap { host in
            let reason = failing.reason(of: host) ?? absent.reason(of: host)
            guard let reason, let waits = found[host] else { return nil }
            return HostAway(
                host: host, reason: reason, waiting: waits.waiting, age: clock.now - waits.since,
                fillsUp: fillsUp)
        }
    }
}
