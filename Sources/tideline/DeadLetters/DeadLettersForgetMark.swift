import Arguments
import Diagnosis
import Inspection
import RecordLog

/// Takes marks away, so that their dead letters wait again.
struct DeadLettersForgetMark: Verb {
    static let configuration = CommandConfiguration(
        commandName: "forget-mark",
        abstract: "Takes away what was marked of dead letters: they wait again.",
        discussion: """
            For a mark in the topic ID.operations that cannot be read, which stops 'replay' and 'drop', and for one \
            of a record whose topic was made again. Its key is in the message of 'replay'; that of the dead letter \
            0/5 is dead-letter/TOPIC/0/5, where TOPIC is the topic of dead letters. The mark gets a tombstone.

            A dead letter that went back before waits as others do then, and a replay puts it back once more. So what \
            each mark says is shown first. It asks on a terminal, and needs '--yes' elsewhere.
            """,
        examples: [
            CommandExample(
                "tideline dead-letters forget-mark dead-letter/tideline.dead-letters/0/5",
                "One of them, after a question.")
        ])

    @Argument(
        help: ArgumentHelp("Marks by key, such as dead-letter/tideline.dead-letters/0/5.", valueName: "key"))
    var keys: [String] = []
    @Flag(help: "Does it without asking.") var yes = false
    @OptionGroup var output: InspectOptions
    @OptionGroup var kafka: KafkaOptions

    func validate() throws(ValidationError) {
        if keys.isEmpty {
            throw ValidationError("Name the mark by its key, such as dead-letter/tideline.dead-letters/0/5.")
        }
    }

    func execute() throws(CommandFailure) {
        let environment = try Environment(kafka)
        let box = try DeadLetterBox(environment)
        let admin = try environment.connect()
        defer { admin.close() }
        environment.warnOfUnknownApplication(admin)
        let marks = try marks(in: box)
        for mark in marks { writeError("\(mark.name): \(mark.text)") }
        try Consent.require(
            for: "Forget \(marks.count.counted("mark"))? What was replayed before can be put back once more then.",
            isGiven: yes)
        let writer = try OperationWriter(box, admin)
        defer { writer.close() }
        // Whoever else writes is fenced from here on. What was agreed to is what was shown.
        try box.readMarks(needsAll: true)
        let now = try self.marks(in: box)
        guard now == marks else {
            throw CommandFailure(
                .software, "nothing was changed: another 'tideline dead-letters' has written meanwhile")
        }
        try writer.forget(marks.map(\.key))
        output.write(
            marks.map { mark in
                var row = InspectedRow()
                row.add("key", mark.name)
                row.add("outcome", "forgotten")
                row.add("was", mark.text)
                return row
            }, columns: ["key", "outcome", "was"], isReport: true)
    }

    /// - Throws: with status 64 if there is no mark of a key.
    private func marks(in box: DeadLetterBox) throws(CommandFailure) -> [OperationMarks.Named] {
        var marks: [OperationMarks.Named] = []
        for key in keys {
            guard let mark = box.mark(named: key) else {
                throw CommandFailure(.usage, "there is no mark with the key \(key) in \(box.operationsTopic)")
            }
            if !marks.contains(mark) { marks.append(mark) }
        }
        return marks
    }
}
