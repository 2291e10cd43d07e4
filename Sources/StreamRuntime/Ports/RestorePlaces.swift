import RecordLog

/// Who restores which partition of a changelog, and how far its consumer has come.
struct RestorePlaces: Sendable {
    private var places: [TopicPartition: Place] = [:]
    /// Those whose partition was given to another owner before they gave it back, the last one at the end.
    private var displaced: [TopicPartition: [Place]] = [:]

    private struct Place {
        var owner: Int
        /// Where the consumer goes on: all before it was delivered, or waits for the owner.
        var next: StartOffset
        /// The consumer reads it; else it is parked.
        var isRead = true
    }

    var owners: Set<Int> { Set(places.values.map(\.owner)) }

    func owner(of place: TopicPartition) -> Int? { places[place]?.owner }

    /// True if nobody else restores.
    func isAlone(_ owner: Int) -> Bool { places.values.allSatisfy { $0.owner == owner } }

    /// Ascending.
    func owned(by owner: Int) -> [TopicPartition] {
        places.filter { $0.value.owner == owner }.map(\.key).sorted()
    }

    /// What an owner was displaced from, ascending.
    func displaced(of owner: Int) -> [TopicPartition] {
        displaced.filter { $0.value.contains { $0.owner == owner } }.map(\.key).sorted()
    }

    /// Those of the partitions that the consumer reads.
    func read(_ partitions: [TopicPartition]) -> [TopicPartition] {
        partitions.filter { places[$0]?.isRead ?? false }
    }

    /// What is not read of an owner's partitions, ascending, and where each goes on.
    func parked(of owner: Int) -> [(TopicPartition, StartOffset)] {
        places.filter { $0.value.owner == owner && !$0.value.isRead }.map { ($0.key, $0.value.next) }
            .sorted { $0.0 < $1.0 }
    }

    mutating func note(next: Offset, of place: TopicPartition) { places[place]?.next = .at(next) }

    mutating func note(_ partitions: [TopicPartition], areRead: Bool) {
        for place in partitions { places[place]?.isRead = areRead }
    }

    mutating func add(_ place: TopicPartition, from start: StartOffset, owner: Int) {
        places[place] = Place(owner: owner, next: start)
    }

    /// Takes a partition that is not read from its owner, who may get it again.
    mutating func displace(_ place: TopicPartition) {
        guard let former = places.removeValue(forKey: place) else { return }
        displaced[place, default: []].append(former)
    }

    mutating func remove(_ place: TopicPartition, of owner: Int) {
        if places[place]?.owner == owner { places[place] = nil }
        displaced[place]?.removeAll { $0.owner == owner }
    }

    /// Gives a partition that nobody has to the owner that was displaced last; it is parked then.
    ///
    /// - Returns: the owner, if there is one.
    mutating func comeBack(to place: TopicPartition) -> Int? {
        guard places[place] == nil, let former = displaced[place]?.popLast() else { return nil }
        places[place] = former
        return former.owner
    }
}
