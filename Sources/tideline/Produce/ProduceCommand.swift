import Arguments
import Producers
import Settings
import Timelines

/// Publishes test and replay data.
struct ProduceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "produce",
        abstract: "Publishes telemetry, calendar events, configurations or readers' positions.",
        examples: [
            CommandExample("tideline produce telemetry --fleet 100", "A simulated fleet, until it is told to end."),
            CommandExample("tideline produce configurations --fleet 100", "Its widgets, which change now and then."),
            CommandExample(
                "tideline produce calendar --ics team.ics --calendar team", "The events of a calendar file."),
        ],
        subcommands: [
            ProduceTelemetry.self, ProduceCalendar.self, ProduceConfigurations.self, ProducePositions.self,
        ])
}

// The options that several verbs of `produce` share.

/// JSON as input, and what happens if there are faults in it.
struct JSONOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("JSON: one object, an array, or lines; - is standard input.", valueName: "file"),
        completion: .file())
    var json: String?
    @Flag(help: "With --json: leave out what is wrong, say it, send the rest, and end with status 65.")
    var keepGoing = false

    func check() throws(ValidationError) {
        try ProduceCommand.check("--keep-going", keepGoing, isFor: "--json", json != nil)
    }
}

/// The pace at which records go out.
struct PacingOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Play data time at so many times its speed.", valueName: "x")) var speedup: Double?
    @Option(help: ArgumentHelp("So many records a second.", valueName: "r")) var rate: Double?

    func validate() throws(ValidationError) {
        if speedup != nil && rate != nil { throw ValidationError("'--speedup' and '--rate' cannot both be given.") }
        for (name, value) in [("--speedup", speedup), ("--rate", rate)] {
            if let value, !(value > 0 && value.isFinite) { throw ValidationError("'\(name)' must be above 0.") }
        }
    }

    var pacing: Pacing? { speedup.map { .speedup($0) } ?? rate.map { .rate($0) } }
}

/// The options of every publication: the seed of a simulated world, the limit, and the health file.
struct PublicationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The fleet's seed.", valueName: "n")) var seed: UInt64 = 1
    @Option(help: ArgumentHelp("End after so many records.", valueName: "n")) var limit: Int?
    @Option(
        help: ArgumentHelp("Touched each second while records are acknowledged, for health checks.", valueName: "file"),
        completion: .file())
    var healthFile: String?
    @OptionGroup var monitoring: MonitoringOptions

    func validate() throws(ValidationError) {
        if let limit, limit < 1 { throw ValidationError("'--limit' must be 1 or more.") }
    }
}

/// The interval at which something changes in a simulated world.
struct ChangeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("With --fleet: how often something changes (PT20S).", valueName: "duration"))
    var every: String?

    func check(fleet: Int?) throws(ValidationError) {
        try ProduceCommand.check("--every", every != nil, isFor: "--fleet", fleet != nil)
    }

    func validate() throws(ValidationError) {
        if let every, interval(every) == nil {
            throw ValidationError("'--every' must be an ISO 8601 duration from PT1S to P1D, such as PT20S.")
        }
    }

    /// The interval, 20 seconds unless it is given.
    var interval: ElapsedTime { every.flatMap(interval) ?? .seconds(20) }

    private func interval(_ text: String) -> ElapsedTime? {
        guard let duration = Duration(iso8601: text), duration >= .seconds(1), duration <= .seconds(86_400) else {
            return nil
        }
        return ElapsedTime(duration)
    }
}

extension ProduceCommand {
    /// Checks that exactly one input is given.
    ///
    /// - Parameter inputs: the options that name inputs, each with whether it is given.
    static func checkOne(of inputs: [(name: String, isGiven: Bool)]) throws(ValidationError) {
        guard inputs.count(where: \.isGiven) != 1 else { return }
        let names = inputs.map { "'\($0.name)'" }
        throw ValidationError("Give one of \(names.dropLast().joined(separator: ", ")) and \(names.last ?? "").")
    }

    /// Checks the number of vehicles of a simulated world.
    static func check(fleet: Int?) throws(ValidationError) {
        if let fleet, !(1...1_000_000).contains(fleet) {
            throw ValidationError("'--fleet' must be from 1 to 1000000.")
        }
    }

    /// Checks that an option comes only with the one that it is for.
    static func check(
        _ name: String, _ isGiven: Bool, isFor other: String, _ otherIsGiven: Bool
    ) throws(ValidationError) {
        if isGiven && !otherIsGiven { throw ValidationError("'\(name)' is for '\(other)'.") }
    }
}
