import Inspection
import Messages
import RecordLog
import Timelines

/// Decides where dead letters go back to, and which ones cannot.
struct ReplayJudge {
    typealias Destination = (topic: String, partition: Partition?)

    /// The reason why a dead letter is left out.
    struct LeftOut: Error {
        var reason: String
    }

    /// The newest records of a key, by partition.
    private typealias Newest = [Partition: (place: SourceOffset, timestamp: Instant)]

    private let environment: Environment
    private let admin: any Admin
    private let overNewer: Bool
    private var partitions: [String: Int32] = [:]
    /// The newest record of each key in each partition of a compacted topic, for the keys of dead letters. After
    /// partitions were added a key may be in several.
    private var newest: [String: [[UInt8]: Newest]] = [:]
    /// The topics that lose a record to a newer one of its key alone.
    private var compactedAlone: Set<String> = []

    init(_ environment: Environment, _ admin: any Admin, overNewer: Bool) {
        self.environment = environment
        self.admin = admin
        self.overNewer = overNewer
    }

    /// Looks up the topics that dead letters came from, and what compacted ones hold of their keys.
    mutating func look(at letters: [DeadLetter]) throws(CommandFailure) {
        let origins = Set(letters.compactMap { $0.origin?.topic }).sorted { $0.precedesByUTF8($1) }
        let found = try environment.describe(origins, admin, for: .write)
        partitions = found.mapValues(\.partitions)
        guard !overNewer else { return }
        for topic in origins where found[topic]?.settings["cleanup.policy"]?.contains("compact") == true {
            let keys = Set(letters.filter { $0.origin?.topic == topic }.compactMap(\.record.key))
            var places: [[UInt8]: Newest] = [:]
            // A newer record behind an open transaction would be overlooked.
            try environment.readRecords(of: topic, needsAll: true) { view, _ in
                guard let key = view.key.map({ Array($0) }), keys.contains(key) else { return }
                places[key, default: [:]][view.partition] = (SourceOffset(topic, view), view.timestamp)
            }
            newest[topic] = places
            if found[topic]?.settings["cleanup.policy"] == "compact" { compactedAlone.insert(topic) }
        }
    }

    /// The reason why a dead letter cannot go back to any topic, whatever the topics hold; `nil` if there is none.
    static func refusal(of letter: DeadLetter) -> LeftOut? {
        letter.hindrance.map { LeftOut(reason: "cannot go back: \($0)") }
    }

    func destination(of letter: DeadLetter) -> Result<Destination?, LeftOut> {
        if let refusal = Self.refusal(of: letter) { return .failure(refusal) }
        guard let origin = letter.origin else { preconditionFailure("a dead letter without origin has a hindrance") }
        guard let count = partitions[origin.topic] else {
            return .failure(LeftOut(reason: "cannot go back: the topic \(origin.topic) does not exist"))
        }
        if let key = letter.record.key, let place = newer(than: origin, letter, newest[origin.topic]?[key] ?? [:]) {
            return .failure(
                LeftOut(reason: "a newer record of its key is \(place.text): it would be replaced (--over-newer)"))
        }
        let partition = Partition(origin.partition)
        if let key = letter.record.key, partition.rawValue < count, isGone(origin, key) {
            let gone = "its record is gone from \(origin.topic), and so may be the tombstone that replaced it"
            return .failure(LeftOut(reason: "\(gone) (--over-newer)"))
        }
        return .success((origin.topic, partition.rawValue < count ? partition : nil))
    }

    /// True if the topic has no record of the key from the dead letter's origin on. There was a newer one then, since
    /// nothing else takes a record out of a compacted topic: a tombstone, which goes after `delete.retention.ms`. The
    /// topic may also have been made anew.
    private func isGone(_ origin: SourceOffset, _ key: [UInt8]) -> Bool {
        guard compactedAlone.contains(origin.topic) else { return false }
        let newest = newest[origin.topic]?[key]?[Partition(origin.partition)]
        return newest.map { $0.place.offset < origin.offset } ?? true
    }

    /// A record that the dead letter would replace. Offsets compare within a partition alone; in another one counts
    /// what is not older than the dead letter.
    private func newer(
        than origin: SourceOffset, _ letter: DeadLetter, _ places: Newest
    ) -> SourceOffset? {
        places.sorted { $0.key < $1.key }.first { partition, record in
            partition.rawValue == origin.partition
                ? record.place.isBehind(origin) : record.timestamp >= letter.record.timestamp
        }?.value.place
    }
}
