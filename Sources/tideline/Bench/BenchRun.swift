import Foundation
import Messages
import Observability
import RecordLog

/// One run of `bench`: for each set of data the topics are made and filled, each round measures all subjects in turn,
/// and the topics are removed.
final class BenchRun {
    let topics: BenchTopics
    let programs: BenchPrograms
    let rows: [BenchRow]
    let rounds: Int
    var tally = BenchTally()
    /// The applications that wrote to the topics which are there now.
    private var applications: Set<String> = []

    init(_ topics: BenchTopics, _ programs: BenchPrograms, rows: [BenchRow], rounds: Int) {
        self.topics = topics
        self.programs = programs
        self.rows = rows
        self.rounds = rounds
    }

    /// Measures all rows. A signal ends it before its time, with what there is.
    func run() throws(CommandFailure) {
        try topics.refuseExisting()
        try awaitCoordinator()
        try measure([.cost, .growth, .threads, .metrics], on: .fillFleet) { round throws(CommandFailure) in
            try self.measureFleet(round)
            try self.measureMetrics(round)
        }
        try measure([.growth], on: .fillLargeFleet) { round throws(CommandFailure) in try self.measureGrowth(round) }
        try measure([.manyTimelines], on: .fillTimelines) { round throws(CommandFailure) in
            try self.measureManyTimelines(round)
        }
        try measure([.restore], on: .fillState) { round throws(CommandFailure) in try self.measureRestore(round) }
        try measure([.calendars], on: .fillCalendars) { round throws(CommandFailure) in
            try self.measureCalendars(round)
        }
        try measure([.start], on: .fillStart) { round throws(CommandFailure) in try self.measureStart(round) }
        try measure([.latency], on: nil) { round throws(CommandFailure) in try self.measureLatency(round) }
    }

    /// The first transaction of a new cluster makes the topic of transactions, which takes half a second: it is no cost
    /// of the program that happens to be measured first.
    private func awaitCoordinator() throws(CommandFailure) {
        guard !Signals.isStopRequested else { return }
        var failure: CommandFailure?
        do throws(CommandFailure) {
            try topics.make()
            let probe = try TransactionProbe(topics, application: application("first-transaction"))
            defer { probe.close() }
            _ = try probe.run(1)
        } catch {
            failure = error
        }
        try topics.remove(applications.sorted())
        applications = []
        if let failure { throw failure }
    }

    /// Makes and fills the topics, has all rounds measured, and removes the topics whatever happens.
    ///
    /// - Parameters:
    ///   - wanted: the rows that these data are for; if none of them was asked for, nothing happens.
    ///   - fill: the step that fills the topics; `nil` leaves them empty.
    private func measure(
        _ wanted: [BenchRow], on fill: BenchStep?, _ round: (Int) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        guard wanted.contains(where: rows.contains), !Signals.isStopRequested else { return }
        var failure: CommandFailure?
        do throws(CommandFailure) {
            try topics.make()
            if let fill { _ = try finish(try programs.step(fill)) }
            for number in 0..<rounds where !Signals.isStopRequested { try round(number) }
        } catch {
            failure = error
        }
        try topics.remove(applications.sorted())
        applications = []
        if let failure { throw failure }
    }

    // MARK: - Parts that rows share

    /// The name of an application that nobody has used; its topics are removed with the others.
    func application(_ name: String) -> String {
        let application = programs.application(name)
        applications.insert(application)
        return application
    }

    /// Waits for the end of a program of our own.
    ///
    /// - Returns: `nil` if a signal ended it.
    func finish(_ program: MeasuredProgram) throws(CommandFailure) -> ProgramFigures? {
        let ending = program.wait()
        if Signals.isStopRequested { return nil }
        guard ending.isGood else { throw program.failure }
        var figures = ProgramFigures(usage: ending.usage, wallSeconds: ending.wallSeconds)
        if !figures.readSummary(program.output) { figures.readWords(program.output) }
        return figures
    }

    /// Runs a program beside the pipeline to its end. One that fails is named, and gives nothing.
    func finish(beside program: BesideProgram, _ application: String) throws(CommandFailure) -> ProgramFigures? {
        let running = try programs.start(program, application)
        let ending = running.wait()
        if Signals.isStopRequested { return nil }
        guard ending.isGood else {
            topics.environment.logger.warning("\(running.failure.message)")
            return nil
        }
        var figures = ProgramFigures(usage: ending.usage, wallSeconds: ending.wallSeconds)
        figures.readWords(running.output)
        return figures
    }

    /// Takes values of one subject into the tally, and tells them.
    func take(_ values: [(BenchQuantity, Double?)], of subject: String, round: Int) {
        var told: [String] = []
        for (quantity, value) in values where rows.contains(quantity.row) {
            tally.add(value, of: subject, to: quantity, round: round)
            if let value {
                let text = String(format: "%.\(quantity.decimals)f", value)
                told.append("\(quantity.row.rawValue) \(quantity.title): \(text)")
            }
        }
        guard !told.isEmpty else { return }
        topics.environment.logger.info(
            "round \(round + 1) of \(rounds), \(subject): \(told.joined(separator: "; "))")
    }
}
