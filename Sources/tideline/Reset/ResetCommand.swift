import Arguments
import Foundation
import Messages
import RecordLog
import Settings
import Timelines

/// Shows what it would touch to start an application over, and does it if it is told to.
struct ResetCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Starts an application over: reads its inputs again and makes all timelines anew.",
        discussion: """
            Shows what that touches, and changes nothing without '--execute'. Then it asks on a terminal, and needs \
            '--yes' elsewhere. It refuses while a member of the group is alive, or a sink whose positions it takes: \
            stop them first. Revisions go on above those that were published. Records of inputs that are gone are not \
            read again; topics of inputs and outputs are not touched.
            """,
        examples: [
            CommandExample("tideline reset", "What it would touch."),
            CommandExample("tideline reset --execute --application-only", "Does it; sinks keep their positions."),
            CommandExample(
                "tideline reset --execute --yes --sink", "Sends all reloads and timelines again that there are."),
        ])

    @OptionGroup var execution: ExecutionOptions
    @Flag(help: "Leave the positions of sinks that send as they are.") var applicationOnly = false
    @Flag(help: "Only take the positions of sinks that send away: of reloads, and of timelines over HTTP.")
    var sink = false
    @Flag(help: "Take the positions of sinks that run, too. Each ends, or begins again beside others of its process.")
    var runningSinks = false
    @Option(
        help: ArgumentHelp(
            "Where telemetry is read from: EARLIEST, or an instant such as 2026-11-20T06:00:00Z. All other inputs are"
                + " read from their earliest record. The default is the place of a reset that was interrupted, else"
                + " EARLIEST.", valueName: "place"), completion: .list(["EARLIEST"]))
    var to: ResetPlace?
    @OptionGroup var kafka: KafkaOptions

    func validate() throws(ValidationError) {
        if applicationOnly && sink {
            throw ValidationError(
                "'--application-only' and '--sink' cannot both be given: without either, both are done.")
        }
        if applicationOnly && runningSinks {
            throw ValidationError(
                "'--application-only' leaves the positions of sinks as they are, so '--running-sinks' says nothing."
                    + " Allowed is one of both.")
        }
        if sink && to != nil {
            throw ValidationError(
                "'--to' says where the application reads telemetry from, and '--sink' leaves the application alone."
                    + " Allowed are '--sink' alone, so that sinks begin at the earliest record, or '--to' alone.")
        }
    }

    func execute() throws(CommandFailure) {
        let environment = try Environment(kafka)
        let admin = try execution.connect(environment)
        defer { admin.close() }
        let run = ResetRun(environment, admin, from: to, keepsSinks: applicationOnly)
        if !sink { try resetApplication(run) }
        if !applicationOnly { try resetSinks(run) }
        if !execution.isExecuted && !execution.json { print("nothing was changed; '--execute' does it") }
    }

    private func resetApplication(_ run: ResetRun) throws(CommandFailure) {
        if execution.isExecuted { try run.endInterruptedTransaction() }
        var plan = try run.plan()
        try run.measure(&plan)
        execution.show(plan.json("planned"), plan.lines)
        guard execution.isExecuted else { return }
        try run.requireNobody()
        if !applicationOnly { try run.requireNoSink(of: run.sinks(), isAllowed: runningSinks) }
        try Consent.require(for: "Start \(run.application) over?", isGiven: execution.yes)
        try run.carryOut(plan)
        execution.show(
            plan.json("done"), ["\(run.application) starts over: 'tideline process' reads its inputs again"])
    }

    private func resetSinks(_ run: ResetRun) throws(CommandFailure) {
        let sinks = try run.sinks()
        execution.show(sinks.json(sinks.names.isEmpty ? "unchanged" : "planned"), sinks.lines)
        guard execution.isExecuted, !sinks.names.isEmpty else { return }
        let names = sinks.names.joined(separator: ", ")
        // Without '--sink' the application has been reset by now.
        let standing = sink ? "nothing was changed" : "\(run.application) was reset; the positions of \(names) stay"
        try run.requireNoSink(of: sinks, isAllowed: runningSinks, otherwise: standing)
        try Consent.require(
            for: "Take the positions of \(names) away?", isGiven: execution.yes, otherwise: standing)
        try run.carryOut(sinks)
        execution.show(
            sinks.json("done"),
            [
                "sinks that send begin at the earliest record"
                    + (sinks.running.isEmpty ? "" : "; one that runs ends with its next commit, or begins again")
            ])
    }
}

/// The place from which telemetry is read again.
enum ResetPlace: ExpressibleByArgument {
    case earliest
    case at(Instant)

    init?(argument: String) {
        if argument.uppercased() == "EARLIEST" {
            self = .earliest
        } else if let instant = Instant(rfc3339: argument), instant.milliseconds >= 0 {
            self = .at(instant)
        } else {
            return nil
        }
    }

    var defaultValueDescription: String { "\(self)" }
    static let allowedDescription: String? = "EARLIEST, or an instant from 1970 on such as 2026-11-20T06:00:00Z"
}

extension ResetPlace: CustomStringConvertible {
    var description: String {
        switch self {
        case .earliest: "EARLIEST"
        case .at(let instant): instant.rfc3339
        }
    }
}
