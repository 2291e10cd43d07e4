import Arguments
import Diagnosis
import Foundation
import RecordLog
import Settings
import StreamRuntime

/// Carries an application over to another number of tasks.
struct RepartitionCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "repartition",
        abstract: "Carries an application over to another number of tasks.",
        discussion: """
            Each id belongs to a task by its hash, so with another number of tasks the state is made anew: as \
            'tideline reset --application-only' with internal topics of so many partitions. Inputs are read again from \
            their earliest record, and revisions go on above those that were published. The numbers of partitions of \
            inputs and outputs stay. Shows what that touches, and changes nothing without '--execute'. Then it asks on \
            a terminal, and needs '--yes' elsewhere.
            """,
        examples: [
            CommandExample("tideline repartition 8", "What it would touch."),
            CommandExample("tideline repartition 8 --execute", "Does it, after asking."),
        ])

    @Argument(help: ArgumentHelp("The number of tasks.", valueName: "p")) var tasks: Int
    @OptionGroup var execution: ExecutionOptions
    @OptionGroup var kafka: KafkaOptions

    func validate() throws(ValidationError) {
        try PartitionCounts.require(tasks, as: "The number of tasks")
    }

    func execute() throws(CommandFailure) {
        let environment = try Environment(kafka)
        let admin = try execution.connect(environment)
        defer { admin.close() }
        let run = ResetRun(
            environment, admin, from: .earliest, keepsSinks: true, partitions: Int32(tasks))
        if execution.isExecuted { try run.endInterruptedTransaction() }
        var plan = try run.plan()
        try run.measure(&plan)
        if plan.isCarriedOver {
            return execution.show(
                plan.json("unchanged"),
                ["\(run.application) has \(tasks.counted("task")) already; nothing was changed"])
        }
        execution.show(
            plan.json("planned"),
            plan.lines + (execution.isExecuted ? [] : ["nothing was changed; '--execute' does it"]))
        guard execution.isExecuted else { return }
        try run.requireNobody()
        try Consent.require(for: "Carry \(run.application) over to \(tasks.counted("task"))?", isGiven: execution.yes)
        try run.carryOut(plan)
        execution.show(
            plan.json("done"),
            ["\(run.application) has \(tasks.counted("task")) now: 'tideline process' reads its inputs again"])
    }
}
