import Arguments
import Diagnosis
import Foundation
import Inspection
import Messages
import Timelines

/// Lists dead letters, or counts them.
struct DeadLettersList: Verb {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists dead letters, with counts by reason.",
        discussion: """
            On a terminal it writes columns and the counts below them; elsewhere a JSON object for each dead letter, \
            by partition and offset, and the counts go to standard error. A dead letter is waiting until somebody \
            replays or drops it; those are left out without --done.
            """,
        examples: [
            CommandExample("tideline dead-letters list --reason missing", "Those in which a field is missing."),
            CommandExample("tideline dead-letters list --counts", "How many there are of each reason and topic."),
        ])

    @Flag(help: "Only the counts: by reason and topic of origin, and by what became of them.") var counts = false
    @Flag(help: "Those that were replayed or dropped, too.") var done = false
    @OptionGroup var choice: DeadLetterOptions
    @OptionGroup var output: InspectOptions
    @OptionGroup var kafka: KafkaOptions

    private static let columns = ["id", "at", "reason", "from", "key", "bytes", "state", "message"]

    func execute() throws(CommandFailure) {
        let box = try DeadLetterBox(Environment(kafka))
        box.warnOfUnreadableMarks()
        let (choice, done) = (choice.choice(), done)
        var rows: [(id: DeadLetterId, row: InspectedRow)] = []
        var counted = DeadLetterTally()
        var all = DeadLetterTally()
        try box.readLetters { letter, state in
            all.add(letter, state)
            guard choice.accepts(letter) else { return }
            counted.add(letter, state)
            if done || state == .waiting { rows.append((letter.id, letter.row(state))) }
        }
        if counts {
            output.write(counted.rows, columns: DeadLetterTally.fields)
            if counted.total == 0 { tellNone("count", all) }
            return
        }
        output.write(rows.sorted { $0.id < $1.id }.map(\.row), columns: Self.columns)
        writeCounts(counted, all, listed: rows.count)
    }

    private func writeCounts(_ counted: DeadLetterTally, _ all: DeadLetterTally, listed: Int) {
        guard counted.total > 0 else { return tellNone("list", all) }
        let left = counted.total - listed
        let more = left > 0 ? "; \(left) of them replayed or dropped (--done)" : ""
        let sentence = "\(counted.total.counted("dead letter")): \(counted.sentence)\(more)"
        if output.isJSON { return writeError(sentence) }
        _ = StandardOutput.write(["", sentence])
    }

    private func tellNone(_ verb: String, _ all: DeadLetterTally) {
        let there = all.total == 0 ? "the topic holds none" : "the topic holds \(all.sentence)"
        writeError("no dead letter to \(verb): \(there)")
    }
}

/// Shows a dead letter with all that it holds.
struct DeadLettersShow: Verb {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a dead letter: why it was set aside, where it came from, headers, key and value.",
        discussion: """
            A value that is JSON is the member 'value' of the object that is written elsewhere than on a terminal, any \
            other value is 'valueText'. Push tokens and secrets are masked.
            """,
        examples: [CommandExample("tideline dead-letters show 0/5 | jq .value", "What was sent.")])

    @Argument(help: ArgumentHelp("Dead letters by partition and offset, such as 0/5.", valueName: "id"))
    var ids: [DeadLetterIdArgument]
    @OptionGroup var output: InspectOptions
    @OptionGroup var kafka: KafkaOptions

    func execute() throws(CommandFailure) {
        let box = try DeadLetterBox(Environment(kafka))
        box.warnOfUnreadableMarks()
        let letters = try box.letters(DeadLetterChoice(ids: ids.map(\.id)))
        var parser = JSONParser()
        for (index, (letter, state)) in letters.enumerated() {
            if output.isJSON {
                var json = JSONWriter()
                letter.write(to: &json, state, with: &parser)
                json.newline()
                guard json.withUnsafeBytes(StandardOutput.write) else { return }
            } else {
                let lines = letter.lines(state, with: &parser)
                guard StandardOutput.write((index > 0 ? [""] : []) + NamedLines(lines).lines) else { return }
            }
        }
    }
}
