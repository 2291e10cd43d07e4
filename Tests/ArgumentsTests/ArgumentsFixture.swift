import Arguments

enum Format: String, CaseIterable, ExpressibleByArgument {
    case capmetrics
    case ndsbr
}

/// Where a sink writes to; says itself what is wrong.
struct Destination: Equatable, Sendable {
    let directory: String

    struct Unknown: Error, CustomStringConvertible {
        let description = "write files:DIR"
    }

    init(_ text: String) throws {
        guard text.hasPrefix("files:") else { throw Unknown() }
        directory = String(text.dropFirst(6))
    }
}

struct BrokerOptions: ParsableArguments {
    @Option(help: "The brokers to begin with.") var bootstrap = "localhost:9092"
    @Option(name: .customLong("set"), help: "Sets any setting.", completion: .list(["commit.interval=", "kafka."]))
    var settings: [KeyValueArgument] = []

    func validate() throws(ValidationError) {
        if bootstrap.isEmpty { throw ValidationError("'--bootstrap' names no broker.") }
    }
}

struct Tide: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Turns streams into timelines.", version: "tide 1.2.3",
        examples: [CommandExample("tide demo", "Shows everything at once.")],
        subcommands: [Demo.self, Produce.self, Sink.self, Explain.self])
}

struct Demo: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs everything in one process.",
        examples: [CommandExample("tide demo --seconds 20", "Ends after twenty seconds.")])

    @Option(name: .shortAndLong, help: ArgumentHelp("End after so many seconds.", valueName: "n")) var seconds: Int?
    @Flag(name: [.short, .long], help: "Say more.") var verbose = false
    @Flag(name: .customShort("q"), help: "Say less.") var quiet = false
    @Flag(inversion: .prefixedNo, help: "Use colors.") var colors = true
    @Option(help: "How much.") var ratio = 0.5
}

struct Produce: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Publishes records.",
        examples: [CommandExample("tide produce telemetry --csv day.csv", "Replays a day.")],
        subcommands: [Telemetry.self, Calendar.self])

    struct Telemetry: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Publishes vehicle telemetry.",
            discussion: """
                Replays recorded sets.

                Or simulates a fleet, which drives along arcs between stops, parks where it should, and never says
                the same thing twice.
                """,
            examples: [
                CommandExample(
                    "cat day.csv | tide produce telemetry --csv - --format capmetrics > log", "Replays what comes in."),
                CommandExample(
                    "tide produce telemetry --csv monday.csv tuesday.csv wednesday.csv --format ndsbr --set 'a=b c'",
                    "Replays three days."),
            ])

        @Option(parsing: .upToNextOption, help: "Recorded files.", completion: .file(extensions: ["csv", "gz"]))
        var csv: [String] = []
        @Option(help: "How the files are written.") var format = Format.capmetrics
        @Option(help: "Write to a directory instead.", completion: .directory) var output: String?
        @OptionGroup var broker: BrokerOptions

        func validate() throws(ValidationError) {
            if output == "/" { throw ValidationError("'--output' may not be the root.") }
        }
    }

    struct Calendar: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Publishes events.",
            examples: [CommandExample("tide produce calendar --calendar work a.ics", "Publishes a file.")])

        @Option(help: "The calendar's name.") var calendar: String
        @Argument(help: "Calendar files.", completion: .file()) var files: [String]
    }
}

struct Sink: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes timelines out.",
        examples: [CommandExample("tide sink --to files:out", "One file each.")])

    @Option(help: "Where to.", transform: Destination.init) var to: Destination
    @Option(help: "Where else.", transform: Destination.init) var also: Destination?
    @Flag(help: "End when all is written.") var untilCaughtUp = false
}

struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says why.", examples: [CommandExample("tide explain home", "Explains one configuration.")])

    @Argument(help: "The configuration.") var configurationID: String
    @Argument(help: "How.") var format: Format = .ndsbr
    @Argument(help: "At which second.") var second: Int?
}

/// The command that a line of words stands for.
func parse<Command: ParsableCommand>(_ line: String, as type: Command.Type = Command.self) throws -> Command? {
    try Tide.parseAsRoot(line.split(separator: " ").map(String.init)) as? Command
}

/// What is wrong with a line of words, or nothing.
func problem(_ words: [String]) -> String? {
    do throws(CommandExit) {
        _ = try Tide.parseAsRoot(words)
        return nil
    } catch {
        guard case .usage(let message, _) = error else { return nil }
        return message
    }
}

func problem(_ line: String) -> String? {
    problem(line.split(separator: " ").map(String.init))
}
