import Observability
import Producers

/// Says on standard error what is left out of an input, as it is met: the first faults at once, of more how many there
/// are, at least every ten seconds. Owned by one thread.
final class FaultReport {
    private var problems = InputProblems()
    private var toldCount = 0
    private var toldAt = WallClock.uptime()

    private static let interval = Duration.seconds(10)

    func add(_ problem: InputProblem) {
        problems.add(problem)
        if problems.count <= InputProblems.kept {
            writeError("left out: \(problem)")
            (toldCount, toldAt) = (problems.count, WallClock.uptime())
        } else {
            tellCount()
        }
    }

    /// To be called now and then while no faults come, too.
    func tellCount() {
        guard problems.count > toldCount, WallClock.uptime() - toldAt >= Self.interval else { return }
        writeError("left out: … and \(problems.count - toldCount) more faults; \(problems.count) up to now")
        (toldCount, toldAt) = (problems.count, WallClock.uptime())
    }

    /// Says what has not been said.
    func finish() {
        guard problems.count > toldCount else { return }
        writeError("left out: … and \(problems.count - toldCount) more")
        toldCount = problems.count
    }
}
