import Arguments
import Foundation
import Inspection
import Settings
import Timelines

/// Shows dead letters, puts them back where they came from, or sets them aside for good.
struct DeadLettersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead-letters",
        abstract: "Lists, shows, replays and drops the records that could not be used.",
        examples: [
            CommandExample("tideline dead-letters list --since PT1H", "Those of the last hour, with counts by reason."),
            CommandExample("tideline dead-letters show 0/5", "One of them with headers and value, and why."),
            CommandExample(
                "tideline dead-letters replay --reason unreadable --yes", "Puts them back where they came from, once."),
        ],
        subcommands: [
            DeadLettersList.self, DeadLettersShow.self, DeadLettersReplay.self, DeadLettersDrop.self,
            DeadLettersForgetMark.self,
        ])
}

/// The options by which the verbs choose dead letters.
struct DeadLetterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only those of this kind (unreadable, missing, wrongType, notAllowed, tooLarge, or unknown where none is"
                + " named), or, for any other text, those whose message has it; may be repeated for one of several.",
            valueName: "reason"))
    var reason: [String] = []
    @Option(
        help: ArgumentHelp(
            "Only those from this instant on: RFC 3339, or a duration for so long ago, such as PT1H.",
            valueName: "time"))
    var since: SinceArgument?

    var isGiven: Bool { !reason.isEmpty || since != nil }

    func choice(_ ids: [DeadLetterId] = []) -> DeadLetterChoice {
        DeadLetterChoice(ids: ids, reasons: reason, since: since?.instant(before: .now()))
    }
}

/// An instant, or how long ago it was.
enum SinceArgument: ExpressibleByArgument {
    case instant(Instant)
    case ago(Duration)

    init?(argument: String) {
        if let instant = Instant(rfc3339: argument) {
            self = .instant(instant)
        } else if let duration = Duration(iso8601: argument), duration >= .zero {
            self = .ago(duration)
        } else {
            return nil
        }
    }

    func instant(before now: Instant) -> Instant {
        switch self {
        case .instant(let instant): instant
        case .ago(let duration): now - ElapsedTime(duration)
        }
    }

    static let allowedDescription: String? =
        "an RFC 3339 instant with offset, such as 2026-11-20T06:25:00Z, or an ISO 8601 duration, such as PT1H"
}

/// The name of a dead letter on the command line.
struct DeadLetterIdArgument: ExpressibleByArgument {
    let id: DeadLetterId

    init?(argument: String) {
        guard let id = DeadLetterId(argument) else { return nil }
        self.id = id
    }

    static let allowedDescription: String? = "PARTITION/OFFSET of tideline.dead-letters, such as 0/5"
}

/// The arguments of the verbs that do something with dead letters.
struct DeadLetterActionOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("Dead letters by partition and offset, such as 0/5.", valueName: "id"))
    var ids: [DeadLetterIdArgument] = []
    @Flag(help: "All that are waiting.") var all = false
    @Flag(help: "Does it without asking.") var yes = false
    @OptionGroup var choice: DeadLetterOptions

    func validate() throws(ValidationError) {
        if ids.isEmpty && !all && !choice.isGiven {
            throw ValidationError("Name dead letters, such as 0/5, or give '--reason', '--since' or '--all'.")
        }
        if !ids.isEmpty && choice.isGiven {
            throw ValidationError("Dead letters are named, or chosen by '--reason' and '--since'; not both.")
        }
        if !ids.isEmpty && all { throw ValidationError("'--all' and names of dead letters cannot both be given.") }
    }
}
