import Foundation
import Messages
import Observability
import RecordLog

/// The row that measures how fast state comes back: E.
extension BenchRun {
    /// Row E: one run makes the state, in the first round; another process of the application restores it.
    func measureRestore(_ round: Int) throws(CommandFailure) {
        let application = application("state")
        if round == 0 { _ = try finish(try programs.pipeline(application)) }
        if !Signals.isStopRequested, let figures = try finish(try programs.pipeline(application)) {
            take(restore(figures), of: BenchSubject.pipeline, round: round)
        }
        for program in programs.beside where !Signals.isStopRequested {
            guard let running = programs.running(of: program) else { continue }
            let application = self.application("\(program.name)-state")
            if round == 0 { try makeState(with: running, application) }
            if let figures = try restored(by: running, application) {
                take(restore(figures), of: program.name, round: round)
            }
        }
    }

    /// Runs a program until its group has committed all that there is in its inputs. Other than the pipeline it may
    /// leave with less when it is to leave by itself.
    private func makeState(with program: BesideProgram, _ application: String) throws(CommandFailure) {
        try topics.removeOfOthers()
        let running = try programs.start(program, application)
        let deadline = WallClock.uptime() + .seconds(900)
        while running.isRunning(), !hasReadAll(application), WallClock.uptime() < deadline {
            if Signals.isStopRequested { break }
            usleep(250_000)
        }
        _ = running.end()
    }

    private func hasReadAll(_ group: String) -> Bool {
        let inputs = [topics.environment.topics.telemetry, topics.environment.topics.configurations]
        do throws(LogError) {
            let found = try topics.admin.describeTopics(inputs + topics.ofOthers, timeout: .seconds(10))
            let places = found.values.flatMap { topic in
                (0..<Partition(topic.partitions)).map { TopicPartition(topic.name, $0) }
            }
            // First what is read, then what there is: what is read may make more.
            let read = try topics.admin.committedOffsets(group: group, partitions: places, timeout: .seconds(10))
            let ends = try topics.admin.endOffsets(of: places, isolation: .readCommitted, timeout: .seconds(10))
            // The marker of the last transaction is no record that anybody reads.
            return places.allSatisfy { ends[$0, default: 0].rawValue - (read[$0]?.next.rawValue ?? 0) <= 1 }
        } catch {
            return false
        }
    }

    private func restore(_ figures: ProgramFigures) -> [(BenchQuantity, Double?)] {
        [(.restoreRate, figures.restoredPerSecond), (.restoreTime, figures.restoreSeconds)]
    }

    /// Runs a program until it has said of each partition how long that took.
    private func restored(by program: BesideProgram, _ application: String) throws(CommandFailure) -> ProgramFigures? {
        let running = try programs.start(program, application)
        let deadline = WallClock.uptime() + .seconds(300)
        var isDone = false
        while !isDone, running.isRunning(), WallClock.uptime() < deadline, !Signals.isStopRequested {
            usleep(50_000)
            var figures = ProgramFigures(usage: .init(cpuSeconds: 0, peakMemory: 0), wallSeconds: 0)
            isDone = figures.readRestored(running.errors + running.output) >= programs.partitions
        }
        let ending = running.end()
        var figures = ProgramFigures(usage: ending.usage, wallSeconds: ending.wallSeconds)
        return figures.readRestored(running.errors + running.output) > 0 ? figures : nil
    }
}
