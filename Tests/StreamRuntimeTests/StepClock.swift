import RecordLog
import StreamRuntime

/// Time passes when somebody waits.
final class StepClock: BlockingClock {
    private(set) var now = Duration.zero
    func wait(for duration: Duration) { now += duration }
}

/// A test's own signal to end.
final class StopRequest {
    var isRequested = false
}

extension PatientRequests {
    /// Those of a test on a real broker, or of one in which nobody waits.
    static func blocking(patience: Duration = .seconds(30)) -> PatientRequests {
        PatientRequests(patience: patience, clock: SleepingClock(), shouldStop: { false })
    }
}
