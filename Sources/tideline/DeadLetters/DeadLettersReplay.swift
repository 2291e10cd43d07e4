import Arguments
import Diagnosis
import Foundation
import Inspection
import Messages
import RecordLog
import Timelines

/// Puts dead letters back where they came from, each once.
struct DeadLettersReplay: Verb {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Puts dead letters back where they came from, each once.",
        discussion: """
            A record goes back to the topic and partition that it came from, with its key, value and headers, and the \
            header tideline_replay with the partition and offset of its dead letter. In the same transaction a mark \
            goes to the topic ID.operations, so a dead letter is replayed once: a second time says that it was. If the \
            record is set aside again, that is another dead letter.

            Left out is what was replayed or, unless it is named, dropped; what cannot go back, as its value was too \
            large to be kept; and in a compacted topic, what a newer record of the same key has replaced, unless \
            --over-newer is given. Each is said with the reason. Where something cannot go back, the exit status is 65.
            """,
        examples: [
            CommandExample("tideline dead-letters replay 0/5 0/7", "Two of them, after a question."),
            CommandExample("tideline dead-letters replay --since PT1H --yes", "Those of the last hour, in a script."),
        ])

    @OptionGroup var action: DeadLetterActionOptions
    @Flag(help: "Also what a newer record of its key has replaced in a compacted topic.") var overNewer = false
    @OptionGroup var output: InspectOptions
    @OptionGroup var kafka: KafkaOptions

    func execute() throws(CommandFailure) {
        let run = try DeadLetterRun(action, .replayed, Environment(kafka))
        defer { run.close() }
        let judge = ReplayJudge(run.environment, run.admin, overNewer: overNewer)
        let leftOut = try run.carryOut(output, "Replay", judge: judge)
        guard leftOut > 0 else { return }
        let were = leftOut == 1 ? "was" : "were"
        throw CommandFailure(.dataError, "\(leftOut.counted("dead letter")) \(were) left out: see above")
    }
}

/// Sets dead letters aside for good.
struct DeadLettersDrop: Verb {
    static let configuration = CommandConfiguration(
        commandName: "drop",
        abstract: "Marks dead letters as done with: they are listed no more.",
        discussion: """
            Nothing is deleted: the topic keeps the records as long as its retention says, and --done lists them. A \
            mark goes to the topic ID.operations. A dropped one can still be replayed by its name.
            """,
        examples: [CommandExample("tideline dead-letters drop --reason tooLarge --yes", "Nobody will send them again.")]
    )

    @OptionGroup var action: DeadLetterActionOptions
    @OptionGroup var output: InspectOptions
    @OptionGroup var kafka: KafkaOptions

    func execute() throws(CommandFailure) {
        let run = try DeadLetterRun(action, .dropped, Environment(kafka))
        defer { run.close() }
        _ = try run.carryOut(output, "Drop")
    }
}
