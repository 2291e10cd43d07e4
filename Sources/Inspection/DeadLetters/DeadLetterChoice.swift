internal import Messages
internal import RecordLog
package import Timelines

/// The dead letters that a verb is about: those that are named, or all that have a reason and are young enough.
package struct DeadLetterChoice: Hashable, Sendable {
    /// The dead letters that are named; empty stands for all.
    package var ids: [DeadLetterId]
    /// The name of a kind of problem, which stands for that kind alone, or else a part of the message in any case;
    /// empty stands for any reason, several for one of them.
    package var reasons: [String]
    package var since: Instant?

    package init(ids: [DeadLetterId] = [], reasons: [String] = [], since: Instant? = nil) {
        self.ids = ids
        self.reasons = reasons
        self.since = since
    }

    package func accepts(_ letter: DeadLetter) -> Bool {
        guard ids.isEmpty || ids.contains(letter.id) else { return false }
        if let since, letter.record.timestamp < since { return false }
        return reasons.isEmpty || reasons.contains { Self.isReason($0, of: letter) }
    }

    /// Those of the choice's reasons that a dead letter has, whether it is chosen or not.
    package func reasonsMet(by letter: DeadLetter) -> [String] { reasons.filter { Self.isReason($0, of: letter) } }

    /// A word that names a kind chooses no others whose message has it: who drops one kind loses no more.
    private static func isReason(_ word: String, of letter: DeadLetter) -> Bool {
        if letter.reason == word { return true }
        let isKind = MessageProblem.Kind(rawValue: word) != nil || word == DeadLetter.unknownReason
        return !isKind && letter.message.lowercased().contains(word.lowercased())
    }
}

/// How many dead letters there are of each reason and origin.
package struct DeadLetterTally: Hashable, Sendable {
    package static let fields = ["reason", "topic", "waiting", "replayed", "dropped"]

    private struct Key: Hashable {
        var reason: String
        var topic: String
    }

    private var counts: [Key: [String: Int]] = [:]
    package private(set) var total = 0

    package init() {}

    package mutating func add(_ letter: DeadLetter, _ state: OperationMarks.State) {
        total += 1
        let key = Key(reason: letter.reason, topic: letter.origin?.topic ?? "")
        counts[key, default: [:]][state.name, default: 0] += 1
    }

    /// A row for each reason and topic of origin, most dead letters first.
    package var rows: [InspectedRow] {
        let sums = counts.map { (key: $0.key, states: $0.value, sum: $0.value.values.reduce(0, +)) }
        return sums.sorted { left, right in
            if left.sum != right.sum { return left.sum > right.sum }
            if left.key.reason != right.key.reason { return left.key.reason.precedesByUTF8(right.key.reason) }
            return left.key.topic.precedesByUTF8(right.key.topic)
        }.map { count in
            var row = InspectedRow()
            row.add("reason", count.key.reason)
            row.add("topic", count.key.topic)
            for state in ["waiting", "replayed", "dropped"] { row.add(state, count.states[state] ?? 0) }
            return row
        }
    }

    /// What is said about a reason that none of them has: the reasons near it, and all that there are.
    package func hint(aboutReason reason: String) -> String {
        if total == 0 { return "the topic holds none" }
        let reasons = Set(counts.keys.map(\.reason))
        return "\(NearIds.sentence(about: reason, among: reasons, plural: "reasons")); the topic holds \(sentence)"
    }

    /// The reasons with their numbers in one line: `8 unreadable, 4 missing`.
    package var sentence: String {
        var sums: [String: Int] = [:]
        for (key, states) in counts { sums[key.reason, default: 0] += states.values.reduce(0, +) }
        let ordered = sums.sorted { left, right in
            left.value == right.value ? left.key.precedesByUTF8(right.key) : left.value > right.value
        }
        return ordered.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
}
