import Diagnosis
import Inspection
import Messages
import RecordLog
import Settings
import StreamRuntime
import Timelines

/// The dead letters of an application, each with what operators did with it. Owned by one thread.
final class DeadLetterBox {
    let environment: Environment
    let topic: String
    let operationsTopic: String
    private var marks = OperationMarks()

    /// - Throws: with status 69 if no broker answers, or the topic of dead letters is missing.
    init(_ environment: Environment) throws(CommandFailure) {
        self.environment = environment
        topic = environment.topics.deadLetters
        operationsTopic = OperationMarks.topic(of: environment.settings[Keys.application])
        let admin = try environment.connect()
        defer { admin.close() }
        try environment.require([topic], admin)
        if try environment.describe([operationsTopic], admin, for: .read)[operationsTopic] != nil {
            try readMarks(needsAll: false)
        }
    }

    /// Reads the topic of operations anew.
    ///
    /// - Parameter needsAll: a mark that cannot be seen yet is a failure: it would let a record go back twice. A writer
    ///   that was killed leaves such marks until its transaction is ended, which the next writer does.
    func readMarks(needsAll: Bool) throws(CommandFailure) {
        marks = OperationMarks()
        try environment.readRecords(of: operationsTopic, needsAll: needsAll) { view, _ in
            marks.apply(view, of: operationsTopic)
        }
    }

    /// What is wrong with the marks that cannot be read; `nil` if all can be read.
    private var unreadableMarks: String? {
        guard let first = marks.unreadable.first else { return nil }
        let others = marks.unreadable.count - 1
        let more = others > 0 ? ", nor can \(others.counted("other mark"))" : ""
        return "the mark \(first.place.text) with the key \(first.key) cannot be read\(more)"
    }

    /// Says that dead letters may be listed as waiting that are not.
    func warnOfUnreadableMarks() {
        guard let unreadableMarks else { return }
        writeError(
            "warning: \(unreadableMarks): what was done with its dead letter is not known, it counts as waiting")
    }

    /// - Throws: with status 65 if a mark cannot be read: what was done before is not known.
    func requireReadableMarks() throws(CommandFailure) {
        guard let unreadableMarks else { return }
        throw CommandFailure(
            .dataError,
            "\(unreadableMarks): whether its dead letter was replayed is not known, so a replay could put it back"
                + " twice. Nothing was done. 'tideline dead-letters forget-mark \(marks.unreadable[0].key)' takes it"
                + " away: the dead letter is waiting then")
    }

    /// The mark whose key reads so; `nil` if there is none.
    func mark(named name: String) -> OperationMarks.Named? { marks.mark(named: name) }

    /// Reads all dead letters, each partition in order, and calls `each` with them.
    ///
    /// - Parameter positions: where to begin; a partition that is not in it is read from its earliest record.
    func readLetters(
        from positions: [Partition: Offset] = [:],
        each: (_ letter: DeadLetter, _ state: OperationMarks.State) -> Void
    ) throws(CommandFailure) {
        try environment.readRecords(of: topic, from: positions) { view, batch in
            let letter = DeadLetter(
                Record(
                    topic: topic, partition: view.partition, offset: view.offset, timestamp: view.timestamp,
                    key: view.key.map { Array($0) }, value: view.value.map { Array($0) },
                    headers: batch.headers(of: view)))
            each(letter, marks.state(of: letter))
        }
    }

    func state(of letter: DeadLetter) -> OperationMarks.State { marks.state(of: letter) }

    /// Reads the dead letters of a choice, by partition and offset. Warns of each reason that no dead letter has: one
    /// that is misspelt looks like one that is mended.
    ///
    /// - Throws: with status 64 if one that is named is not there; the message has those that are near it.
    func letters(
        _ choice: DeadLetterChoice
    ) throws(CommandFailure) -> [(letter: DeadLetter, state: OperationMarks.State)] {
        var found: [(letter: DeadLetter, state: OperationMarks.State)] = []
        var known: [DeadLetterId] = []
        var held = DeadLetterTally()
        var met: Set<String> = []
        try readLetters { letter, state in
            known.append(letter.id)
            held.add(letter, state)
            met.formUnion(choice.reasonsMet(by: letter))
            if choice.accepts(letter) { found.append((letter, state)) }
        }
        for id in choice.ids where !known.contains(id) { throw unknown(id, known) }
        for reason in choice.reasons where !met.contains(reason) {
            writeError("warning: no dead letter has the reason '\(reason)'; \(held.hint(aboutReason: reason))")
        }
        return found.sorted { $0.letter.id < $1.letter.id }
    }

    private func unknown(_ id: DeadLetterId, _ known: [DeadLetterId]) -> CommandFailure {
        let near = known.filter { $0.partition == id.partition }
            .sorted { Self.distance($0, id) < Self.distance($1, id) }.prefix(5).sorted()
        let others = Set(known.map(\.partition)).sorted().map { "\($0)" }.joined(separator: ", ")
        let hint =
            known.isEmpty
            ? "the topic holds none"
            : near.isEmpty
                ? "partitions with dead letters are \(others)"
                : "near it \(near.count == 1 ? "is" : "are") \(near.map(\.text).joined(separator: ", "))"
        return CommandFailure(.usage, "there is no dead letter \(id.text) in \(topic); \(hint)")
    }

    private static func distance(_ left: DeadLetterId, _ right: DeadLetterId) -> Int64 {
        abs(left.offset.rawValue - right.offset.rawValue)
    }
}
